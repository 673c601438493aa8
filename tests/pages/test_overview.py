"""The overview page: items that need attention, the numbers, and the list of organizations."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from console.configs.services.apply_config import apply_config
from console.heartbeat import Pulse
from console.orgs.models import Membership, Organization, Role
from console.orgs.permissions import Actor
from console.orgs.services.create_org import create_org
from console.overview.items import Item, Kind, Subject
from console.overview.services.count_attention import count_attention
from console.overview.services.measure_consumers import measure_consumers
from console.pages.presenters.overview.attention import attention_rows
from console.pages.views import overview as views
from console.time_formats import milliseconds
from console.workloads.models import State, Workload
from console.workloads.queries import waiting_longest
from console.workloads.services.hold_queue import hold_queue
from tests.pages.conftest import CONFIG, World
from tests.pages.page import Element, complaints, read_page

Settle = Callable[[Organization], int]


def get(browser: Client, path: str = "") -> Element:
    """Return a page of the organization, and fail unless its markup is valid."""
    page = read_page(browser.get(f"/o/here/{path}"))
    assert complaints(page) == []
    return page


def item_texts(page: Element) -> list[str]:
    """Return the items without their age and without text for screen readers only."""
    found = []
    for item in page.id("attention-rows").all("li"):
        text = item.all("span")[1].text
        found.append(re.sub(r" ?(first seen \d+ \w+ ago|for \d+ \w+)", "", text))
    return found


def test_attention_items_and_their_links(world: World, browser: Client) -> None:
    page = get(browser)
    assert item_texts(page) == [
        "1 workload rejected in the last hour: accepted by no rule",
        ("1 workload can never run under this config: its request exceeds the limit of the queue"),
    ]
    for link in page.id("attention-rows").all("a"):
        assert len(read_page(browser.get(link.attrs["href"])).rows()) == 1


def test_an_item_says_when_it_was_first_seen_or_how_long_it_lasts(
    world: World, owner: Actor, browser: Client
) -> None:
    hold_queue(owner, "research", "rack down")
    rejected, _, held = get(browser).id("attention-rows").all("li")
    assert re.search(r"first seen \d+ s ago", rejected.text)
    assert re.search(r"rack down for \d+ s", held.text)
    details = get(browser, "attention")
    assert re.search(r"first seen \d+ s ago", details.id("attention-rejected-no_rule_matched").text)
    assert re.search(r"for \d+ s", details.id("attention-queue_held").text)


def test_workloads_that_no_queue_takes_are_not_routed() -> None:
    one, many = attention_rows(
        "here",
        [
            Item(kind=Kind.CANNOT_RUN, reason="priority_class_missing", count=1),
            Item(kind=Kind.CANNOT_RUN, reason="local_queue_missing", count=4),
        ],
    )
    assert one.text == "1 workload is not routed: priority class not found"
    assert many.text == "4 workloads are not routed: local queue not found"


def test_the_workloads_that_wait_longest(world: World, browser: Client) -> None:
    """The one that can never run is left out."""
    waiting = get(browser).id("waiting")
    assert [each.all("a")[0].text for each in waiting.id("waiting-rows").all("li")] == ["eval"]
    (all_waiting,) = waiting.all("div", class_="panel__head")[0].all("a")
    href = all_waiting.attrs["href"]
    assert href == "/o/here/workloads?state=pending&reason_class=waiting&sort=oldest"
    assert [row[1].split()[0] for row in read_page(browser.get(href)).rows()] == ["eval"]
    Workload.objects.filter(pk=world.waiting.pk).delete()
    assert "No workload that can run is waiting." in get(browser).id("waiting").text


def test_the_wait_of_a_preempted_workload_begins_with_its_release(
    world: World, submit: Callable[..., Workload], browser: Client
) -> None:
    submit("later", gpu=4)
    hour_ago = timezone.now() - timedelta(hours=1)
    rows = Workload.objects.filter(pk=world.waiting.pk)
    rows.update(submitted_at=hour_ago, pending_since=milliseconds(timezone.now()))
    first, second = get(browser).id("waiting-rows").all("li")
    assert re.fullmatch(r"later in research .* waiting \d s", first.text)
    assert re.fullmatch(r"eval in research .* waiting \d s", second.text)
    # An earlier release did not store the time.
    rows.update(pending_since=None)
    first, _ = get(browser).id("waiting-rows").all("li")
    assert re.fullmatch(r"eval in research .* submitted 1 h ago", first.text)


def test_only_a_limited_number_of_oldest_workloads_is_searched(
    world: World, browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "LOOKED_AT", 1)
    monkeypatch.setattr(waiting_longest, "LOOKED_AT", 1)
    Workload.objects.filter(pk=world.waiting.pk).update(state=State.FINISHED)
    waiting = get(browser).id("waiting").text
    assert "None of the 1 oldest pending workloads can ever run." in waiting


def test_the_numbers(world: World, browser: Client) -> None:
    page = get(browser)
    assert [tile.text for tile in page.id("numbers").all("a")] == [
        "Running 2",
        "Pending 2 1 can never run",
        "Rejected in 24 h 1",
    ]
    (quota,) = page.id("quota").all("li")
    assert quota.text.startswith("spot · 6 of 8 GPUs used")
    assert [row[:1] for row in page.id("tight").rows()] == [["research"]]


def test_nothing_needs_attention(
    org: Organization, owner: Actor, browser: Client, settle: Settle
) -> None:
    apply_config(owner, "native", CONFIG, "", 0)
    settle(org)
    assert get(browser).id("attention-none").text == (
        "Nothing needs attention. 0 running, 0 pending, 0 rejected in the last 24 hours."
    )
    assert "Nothing needs attention" in get(browser, "attention").id("all-attention").text


def test_a_new_organization_leads_on(org: Organization, browser: Client) -> None:
    page = get(browser)
    links = {link.text: link.attrs["href"] for link in page.id("first-steps").all("a")}
    assert page.id("first-steps-title").text == "No config yet"
    assert links == {
        "Start from an example": "/o/here/config/edit",
        "with the form": "/o/here/workloads/new",
        "new token": "/o/here/settings/tokens/new",
        "new invitation": "/o/here/settings/invitations/new",
    }


def test_seven_items_and_the_way_to_all(
    world: World, owner: Actor, browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("console.pages.views.overview.MOST_ITEMS", 1)
    page = get(browser)
    assert len(item_texts(page)) == 1
    (way,) = [link for link in page.id("attention").all("a") if "more" in link.text]
    assert (way.text, way.attrs["href"]) == ("View 1 more", "/o/here/attention")
    heads = [each.text for each in get(browser, "attention").all("h2")]
    assert len([each for each in heads if each.startswith("1 workload")]) == 2


def test_an_item_about_several_objects_links_to_each(
    org: Organization, owner: Actor, browser: Client, settle: Settle, config: None
) -> None:
    for queue in ("research", "default"):
        hold_queue(owner, queue, "moving racks")
    settle(org)
    page = get(browser)
    assert item_texts(page) == ["2 queues (default, research) are held"]
    (way,) = page.id("attention-rows").all("a")
    assert way.attrs["href"] == "/o/here/attention#attention-queue_held"
    section = get(browser, "attention").id("attention-queue_held")
    assert [link.attrs["href"] for link in section.all("a")] == [
        "/o/here/queues/default",
        "/o/here/queues/research",
    ]


def test_a_dead_worker_is_told_with_what_to_do(
    world: World, browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = get(browser).id("live-poll").attrs["data-version"]
    assert browser.get("/o/here/", {"v": version}).status_code == 204
    for module in ("console.overview.system_items", "console.pages.views.overview"):
        monkeypatch.setattr(f"{module}.pulse", lambda: Pulse.WORKER_SILENT)
    assert browser.get("/o/here/", {"v": version}).status_code == 200
    assert item_texts(get(browser))[0] == "No worker responds: admission is stopped"
    section = get(browser, "attention").id("attention-worker_late-worker_silent")
    assert "Start a worker and the beat process." in section.text


def test_time_that_passes_reaches_an_open_page(world: World, browser: Client) -> None:
    count_attention(world.org.pk, timezone.now())
    version = get(browser).id("live-poll").attrs["data-version"]
    assert browser.get("/o/here/", {"v": version}).status_code == 204
    count_attention(world.org.pk, timezone.now() + timedelta(hours=2))
    assert browser.get("/o/here/", {"v": version}).status_code == 200


def test_top_consumers(world: World, browser: Client) -> None:
    assert "usage has not been measured yet" in get(browser).id("consumers").text
    since = timezone.now() - timedelta(hours=3)
    Workload.objects.filter(pk=world.admitted.pk).update(
        admitted_at=since, user="ana", project="vision"
    )
    measure_consumers(world.org.pk, timezone.now())
    page = get(browser)
    assert page.id("consumers-title").text == "Top consumers of GPU"
    assert page.id("consumers-workload").text == "train research 3 h 6 18"
    assert page.id("consumers-user").text == "ana 1 6 18"
    links = [link.attrs["href"] for link in page.id("consumers").all("a")]
    assert links == [
        f"/o/here/workloads/{world.admitted.uid}",
        "/o/here/workloads?state=admitted&project=vision",
        "/o/here/workloads?state=admitted&user=ana",
    ]
    assert get(browser, "?resource=nothing").id("consumers-title").text.endswith("of GPU")


def test_recent_changes_are_listed_and_marked(world: World, browser: Client) -> None:
    (row,) = get(browser).id("recent-rows").all("li")
    assert row.text.startswith("v1 The first one Applied by owner@here.example:")


@pytest.mark.parametrize("path", ["", "attention"])
def test_queries_do_not_grow(
    path: str, world: World, browser: Client, submit: Callable[..., Workload]
) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            browser.get(f"/o/here/{path}")
        return len(captured)

    queries()
    before = queries()
    for number in range(8):
        submit(f"more-{number}", gpu=number + 1, priority=number)
        submit(f"lost-{number}", team=None)
    assert queries() == before


def test_every_kind_of_item_has_a_text_and_a_link() -> None:
    reasons = {
        Kind.WORKER_LATE: "broker_away",
        Kind.REJECTED: "no_rule_matched",
        Kind.CANNOT_RUN: "queue_misconfigured",
    }
    alone = (Kind.REVERT_FAILED, Kind.VERSION_UNCONFIRMED)
    now = timezone.now()
    for kind in Kind:
        subject = Subject(name="one", number=1, count=2, since=now, until=now, actor="ana")
        for count in (1, 2):
            item = Item(
                kind=kind,
                reason=reasons.get(kind, ""),
                count=count,
                since=now,
                subjects=(subject,) * (1 if kind in alone else count),
            )
            (row,) = attention_rows("here", [item])
            assert row.text
            assert row.action
            assert row.href.startswith("/o/here/")


@pytest.fixture
def many(owner: Actor) -> list[Organization]:
    """Create two more organizations in which the owner has other roles."""
    assert owner.user is not None
    found = [create_org(slug, slug.title(), owner=None) for slug in ("labs", "shop")]
    for org, role in zip(found, (Role.VIEWER, Role.EDITOR), strict=True):
        Membership.objects.create(org=org, user=owner.user, role=role)
    return found


def test_the_list_of_organizations(
    world: World, owner: Actor, browser: Client, many: list[Organization]
) -> None:
    count_attention(world.org.pk, timezone.now())
    count_attention(many[0].pk, timezone.now())
    page = read_page(browser.get("/o/?all"))
    assert complaints(page) == []
    rows = [entry.text for entry in page.id("main").all("li")]
    assert rows == [
        "Here 2 need attention owner here",
        "Labs viewer labs",
        "Shop ? attention state unknown editor shop",
    ]
    # The words are visible, not for screen readers only.
    (badge, _) = page.id("main").all("span", class_="badge")
    assert badge.children == ["2 need attention"]
    found = read_page(browser.get("/o/?all=&q=LAB"))
    assert [entry.text for entry in found.id("main").all("li")] == ["Labs viewer labs"]
    nothing = read_page(browser.get("/o/?all=&q=%3Cb%3E"))
    assert complaints(nothing) == []
    assert "None of your organizations has “<b>” in its name" in nothing.id("main").text


def test_the_switcher_stays_at_the_section(
    world: World, browser: Client, many: list[Organization]
) -> None:
    page = get(browser, "queues/research")
    (menu,) = (each for each in page.all("details") if "Your role here" in each.text)
    assert [link.attrs["href"] for link in menu.all("a")] == [
        "/o/here/queues",
        "/o/labs/queues",
        "/o/shop/queues",
        "/o/?all",
    ]
