"""Sharing of live pages: one rendering for equal pages, without personal data."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from redis import RedisError

from console import broker
from console.configs.services.apply_config import apply_config
from console.orgs.models import Membership, Organization, Role, User
from console.orgs.permissions import Actor
from console.orgs.services.create_user import create_user
from console.pages import live, snapshots
from console.pages.poll import Peers
from console.workloads.models import QueueHold, Workload
from console.workloads.services.hold_queue import hold_queue
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import read_submissions
from tests.conftest import PASSWORD
from tests.module_fixtures import module_org
from tests.pages.conftest import CONFIG, World
from tests.pages.module_fixtures import module_world
from tests.pages.page import Element, read_page

org, owner = module_org()
made, world = module_world()

LIVE = [
    "",
    "attention",
    "queues",
    "queues/research",
    "queues/research?tab=running",
    "queues/research?tab=rules",
    "queues/research?tab=history",
    "queues/research/usage",
    "queues?compare=research&compare=default",
    "shares",
    "users",
    "cohorts",
    "capacity",
    "capacity/east",
    "usage",
    "workloads",
    "workloads?group_by=reason",
    "workloads/{waiting}",
    "workloads/{waiting}?tab=timeline",
    "workloads/{waiting}?tab=spec",
    "events",
]

#: Pages that differ by role -> the first role of each group that shares a rendering.
DIFFERS_BY_ROLE = {
    **{path: ["viewer", "owner"] for path in ("", "attention", "events")},
    # An operator may hold a queue; an owner may add one and change its quota, too.
    **{path: ["viewer", "operator", "owner"] for path in LIVE if path.startswith("queues")},
    **{path: ["viewer", "submitter"] for path in ("workloads", "workloads?group_by=reason")},
    "shares": ["viewer", "editor"],
    "users": ["viewer", "editor"],
    "cohorts": ["viewer", "editor"],
    "capacity/east": ["viewer", "operator"],
    **{path: list(Role.values) for path in LIVE if path.startswith("workloads/")},
}
del DIFFERS_BY_ROLE["queues/research/usage"]


@dataclass
class Broker:
    """An in-process fake of the broker with a clock that tests set."""

    now: int = 0
    kept: dict[str, tuple[int, bytes]] = field(default_factory=dict)

    def mget(self, keys: list[str]) -> list[bytes | None]:
        """Return the unexpired value of each key."""
        found = [self.kept.get(key) for key in keys]
        return [each[1] if each and each[0] > self.now else None for each in found]

    def set(self, key: str, value: bytes, *, px: int, nx: bool = False) -> bool | None:
        """Store *value* for *px* milliseconds; with *nx* only if the key has no value."""
        if nx and self.mget([key]) != [None]:
            return None
        self.kept[key] = self.now + px, value
        return True

    def delete(self, key: str) -> None:
        """Delete a key."""
        self.kept.pop(key, None)


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> Broker:
    """Return a reachable fake broker whose clock stands still."""
    there = Broker(now=1_700_000_000_000)
    monkeypatch.setattr(broker, "client", lambda: there)
    monkeypatch.setattr(snapshots, "_paused_until", [0.0])
    monkeypatch.setattr(snapshots.time, "time_ns", lambda: there.now * 1_000_000)
    return there


@pytest.fixture
def member(
    org: Organization, client_for: Callable[[Actor], Client]
) -> Callable[[str, str], Client]:
    """Return a function that creates a member with a role and returns their browser."""

    def another(name: str, role: str) -> Client:
        user = create_user(f"{name}@here.example", PASSWORD)
        Membership.objects.create(org=org, user=user, role=role)
        return client_for(Actor.from_user(org, user, role))

    return another


def stamp_of(browser: Client, url: str) -> str:
    """Return the version stamp of a newly opened page."""
    return read_page(browser.get(url)).id("live-poll").attrs["data-version"]


def regions(page: Element) -> dict[str, str]:
    """Return the live regions of a page by id, without content that scripts fill in."""
    return {
        element.attrs["id"]: _drawn(element)
        for element in page.walk()
        if "data-live" in element.attrs and "data-live-status" not in element.attrs
    }


def _drawn(element: Element) -> str:
    if "data-kept" in element.attrs:
        return ""
    is_token = element.attrs.get("name") == "csrfmiddlewaretoken"
    attrs = {
        name: value for name, value in element.attrs.items() if not (is_token and name == "value")
    }
    inside = "".join(
        _drawn(each) if isinstance(each, Element) else each for each in element.children
    )
    return f"<{element.tag} {attrs}>{inside}"


@pytest.mark.parametrize("role", list(Role.values))
def test_a_poll_equals_the_page_and_has_no_personal_data(
    role: str,
    world: World,
    shared: Broker,
    member: Callable[[str, str], Client],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    browser = member("ada", role)
    # Ages and the ends of charts change between two answers.
    moment = timezone.now()
    monkeypatch.setattr(timezone, "now", lambda: moment)
    for path in LIVE:
        url = f"/o/here/{path}".format(waiting=world.waiting.uid)
        opened = browser.get(url)
        polled = browser.get(f"{url}{'&' if '?' in url else '?'}v=0-")
        assert (opened.status_code, polled.status_code) == (200, 200), url
        assert regions(read_page(polled)) == regions(read_page(opened)), url
        text = polled.content.decode()
        assert "ada@here.example" not in text
        assert browser.cookies["sluice_session"].value not in text
        assert set(re.findall(r'csrfmiddlewaretoken" value="([^"]*)"', text)) <= {""}
        assert "no-store" in polled.headers["Cache-Control"]


@pytest.mark.parametrize("path", ["events", "events/audit", "queues", "workloads"])
def test_a_filtered_page_gets_its_parts_with_the_address_that_its_form_left(
    path: str, world: World, browser: Client
) -> None:
    """A form sends its empty fields too, so the address has them; polling that address works."""
    left = f"/o/here/{path}?q=&actor=&state="
    assert browser.get(left).headers["Location"] == f"/o/here/{path}"
    answer = browser.get(f"{left}&v=0-")
    assert answer.status_code == 200
    assert "X-Live-Stamp" in answer.headers


def test_people_of_a_role_share_what_was_rendered_once(
    world: World, shared: Broker, member: Callable[[str, str], Client]
) -> None:
    first, second = member("ada", Role.VIEWER), member("bob", Role.VIEWER)
    url = "/o/here/queues/research"
    answer = first.get(url, {"v": "0-"})
    with CaptureQueriesContext(connection) as queries:
        again = second.get(url, {"v": "0-"})
    assert again.content == answer.content
    assert again.headers["X-Live-Stamp"] == answer.headers["X-Live-Stamp"]
    tables = [query["sql"].split(" FROM ")[1].split()[0].strip('"') for query in queries]
    assert tables == ["orgs_membership"]


def test_another_role_gets_its_own_rendering(
    world: World, shared: Broker, member: Callable[[str, str], Client]
) -> None:
    operator, viewer = member("ada", Role.OPERATOR), member("bob", Role.VIEWER)
    url = "/o/here/queues/research"
    assert "Hold" in read_page(operator.get(url, {"v": "0-"})).id("hold").text
    assert all(
        element.attrs.get("id") != "hold"
        for element in read_page(viewer.get(url, {"v": "0-"})).walk()
    )


def test_roles_share_what_is_the_same_for_both(
    world: World,
    shared: Broker,
    member: Callable[[str, str], Client],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    people = {role: member(f"the-{role}", role) for role in Role.values}
    rendered: list[str] = []
    render = live._render

    def spy(request: object, poll: object, actor: Actor, *more: Any) -> Any:
        rendered.append(actor.role)
        return render(request, poll, actor, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(live, "_render", spy)
    monkeypatch.setattr(live, "_peers", Peers())
    moment = timezone.now()
    monkeypatch.setattr(timezone, "now", lambda: moment)
    parted = {}
    for path in LIVE:
        url = f"/o/here/{path}".format(waiting=world.waiting.uid)
        # The first answers record which permissions the page checks; later answers use that record.
        for one in people.values():
            one.get(url, {"v": "0-"})
        shared.now += 20_000
        rendered.clear()
        for role, one in people.items():
            polled = read_page(one.get(f"{url}{'&' if '?' in url else '?'}v=0-"))
            assert regions(polled) == regions(read_page(one.get(url))), (url, role)
        if rendered != ["viewer"]:
            parted[path] = list(rendered)
    assert parted == DIFFERS_BY_ROLE


def test_a_personal_rendering_is_not_shared(
    world: World,
    org: Organization,
    shared: Broker,
    client_for: Callable[[Actor], Client],
    settle: Callable[[Organization], int],
) -> None:
    people = []
    for name in ("ada", "bob"):
        user = create_user(f"{name}@here.example", PASSWORD)
        Membership.objects.create(org=org, user=user, role=Role.SUBMITTER)
        people.append(Actor.from_user(org, user, Role.SUBMITTER))
    ada, bob = people
    value = {"name": "mine", "requests": {"gpu": 4}, "tags": {"team": "research"}}
    (mine,) = submit_workloads(ada, read_submissions([value]))
    settle(org)
    url = f"/o/here/workloads/{mine.uid}"
    hers = read_page(client_for(ada).get(url, {"v": "0-"})).id("workload-actions")
    his = read_page(client_for(bob).get(url, {"v": "0-"})).id("workload-actions")
    assert "Withdraw" in hers.text
    assert "Withdraw" not in his.text


def test_readers_with_other_formats_get_their_own_rendering(
    world: World, shared: Broker, owner: Actor, member: Callable[[str, str], Client]
) -> None:
    hold_queue(owner, "research", "rack down", timezone.now() + timedelta(days=1))
    until = QueueHold.objects.get().until
    assert until is not None
    names = ("ada", "bob", "eve", "joe")
    readers = [member(name, Role.VIEWER) for name in names]
    for name in ("bob", "joe"):
        formats = {"time_zone": "Asia/Kolkata", "date_order": "dmy", "clock": "12"}
        User.objects.filter(email=f"{name}@here.example").update(**formats)
    answers = [reader.get("/o/here/queues/research", {"v": "0-"}) for reader in readers]
    texts = [read_page(answer).id("queue-notices").text for answer in answers]
    local = until + timedelta(hours=5, minutes=30)
    indian = f"{local.day} {local:%b %Y}, {local.hour % 12 or 12}:{local:%M:%S %p} UTC+5:30"
    shown = [f"{until:%Y-%m-%d %H:%M:%S} UTC" in text for text in texts]
    assert (shown, [indian in text for text in texts]) == (
        [True, False, True, False],
        [False, True, False, True],
    )
    # Readers with the same formats share a rendering.
    assert [answer.content for answer in answers[2:]] == [answer.content for answer in answers[:2]]


def test_renderings_are_not_shared_between_organizations(
    world: World,
    shared: Broker,
    member: Callable[[str, str], Client],
    outsider: object,
) -> None:
    member("ada", Role.OWNER).get("/o/here/queues", {"v": "0-"})
    stranger = Client()
    stranger.force_login(outsider)  # type: ignore[arg-type]
    assert stranger.get("/o/here/queues", {"v": "0-"}).status_code == 404


def test_a_page_rests_after_it_was_rendered_and_says_how_old_it_is(
    world: World, shared: Broker, browser: Client, submit: Callable[..., Workload]
) -> None:
    url = "/o/here/queues"
    first = browser.get(url, {"v": "0-"})
    stamp = first.headers["X-Live-Stamp"]
    assert first.headers["X-Live-Age"] == "0.000"
    submit("another", gpu=1)
    shared.now += 1_500
    resting = browser.get(url, {"v": stamp})
    assert (resting.status_code, resting.content) == (204, b"")
    assert resting.headers["X-Live-Stamp"] == stamp
    assert resting.headers["X-Live-Age"] == "1.500"
    shared.now += 10_000
    changed = browser.get(url, {"v": stamp})
    assert changed.status_code == 200
    assert changed.headers["X-Live-Age"] == "0.000"
    assert changed.headers["X-Live-Stamp"] != stamp


def test_an_unchanged_page_is_as_fresh_as_the_look_at_it(
    world: World, shared: Broker, browser: Client
) -> None:
    stamp = stamp_of(browser, "/o/here/queues")
    shared.now += 60_000
    answer = browser.get("/o/here/queues", {"v": stamp})
    assert answer.status_code == 204
    as_of, _, state = answer.headers["X-Live-Stamp"].partition("-")
    assert (int(as_of), state) == (shared.now, stamp.partition("-")[2])
    assert answer.headers["X-Live-Age"] == "0.000"


def test_a_poll_never_returns_an_older_page(
    world: World,
    shared: Broker,
    member: Callable[[str, str], Client],
    submit: Callable[..., Workload],
) -> None:
    first, second = member("ada", Role.VIEWER), member("bob", Role.VIEWER)
    url = "/o/here/queues"
    first.get(url, {"v": "0-"})
    submit("another", gpu=1)
    shared.now += 500
    newer = stamp_of(second, url)
    shared.now += 500
    answer = second.get(url, {"v": newer})
    assert (answer.status_code, answer.headers["X-Live-Stamp"]) == (204, newer)
    assert answer.headers["X-Live-Age"] == "0.500"


def test_while_one_process_renders_others_keep_their_page(
    world: World,
    shared: Broker,
    browser: Client,
    submit: Callable[..., Workload],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stamp = stamp_of(browser, "/o/here/queues")
    submit("another", gpu=1)
    monkeypatch.setattr(snapshots, "acquire", lambda key: False)
    shared.now += 9_000
    assert browser.get("/o/here/queues", {"v": stamp}).status_code == 204
    # The renderer may have died, so the others do not wait for long.
    shared.now += 1_000
    assert browser.get("/o/here/queues", {"v": stamp}).status_code == 200


def test_without_the_broker_every_page_is_rendered_for_itself(
    world: World, browser: Client, submit: Callable[..., Workload], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def away() -> Broker:
        asked.append(1)
        raise RedisError("away")

    monkeypatch.setattr(broker, "client", away)
    monkeypatch.setattr(snapshots, "_paused_until", [0.0])
    stamp = stamp_of(browser, "/o/here/queues")
    assert browser.get("/o/here/queues", {"v": stamp}).status_code == 204
    submit("another", gpu=1)
    assert browser.get("/o/here/queues", {"v": stamp}).status_code == 200
    # The broker is not asked again for a while: each attempt could take seconds.
    assert len(asked) == 1


@pytest.mark.parametrize("v", ["", "-", "x", "1.1", "0-", "9" * 40 + "-1", "²-1", "1700-\0"])
def test_a_stamp_that_was_made_up_gets_the_page(v: str, world: World, browser: Client) -> None:
    assert browser.get("/o/here/queues", {"v": v}).status_code == 200


def test_a_poll_leaves_a_message_for_the_page_that_shows_it(
    world: World, shared: Broker, owner: Actor, browser: Client
) -> None:
    browser.post("/o/here/queues/research", {"reason": "moving racks", "for": ""})
    browser.get("/o/here/queues/research", {"v": "0-"})
    page = read_page(browser.get("/o/here/queues/research"))
    assert any("is held" in notice.text for notice in page.all("div", role="status"))


def test_forms_of_a_polled_page_lead_back_to_the_page_itself(
    world: World, shared: Broker, owner: Actor, browser: Client, settle: Callable[..., int]
) -> None:
    apply_config(
        owner, "native", CONFIG + "# more\n", "With a timer", 1, revert_after=timedelta(minutes=10)
    )
    settle(world.org)
    page = read_page(browser.get("/o/here/queues", {"v": "0-"}))
    addresses = {
        element.attrs["value"] for element in page.walk() if element.attrs.get("name") == "next"
    }
    assert addresses == {"/o/here/queues"}
