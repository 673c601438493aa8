"""Times typed in forms: in the reader's zone, and in addresses the same moment for every reader."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from django.http import QueryDict
from django.test import Client
from django.utils import timezone

from console.errors import BadRequest
from console.orgs.models import User
from console.orgs.permissions import Actor
from console.pages.local_times import absolute_times, read_local
from console.workloads.models import QueueHold
from tests.pages.conftest import World
from tests.pages.page import Element, complaints, read_page

BERLIN = "zone=Europe/Berlin"
SKIPPED = (
    "The clocks of Europe/Berlin skip 2026-03-29 02:30 when they go forward. "
    "Enter another time, such as 2026-03-29 03:30."
)


def in_zone(actor: Actor, zone: str) -> None:
    """Give the account of a member a time zone."""
    assert actor.user is not None
    User.objects.filter(pk=actor.user.pk).update(time_zone=zone)


@pytest.mark.parametrize(
    ("form", "moment"),
    [
        ("until=", None),
        ("until=2026-11-29T14:05", "2026-11-29T14:05:00+00:00"),
        (f"until=2026-11-29T14:05&{BERLIN}", "2026-11-29T13:05:00+00:00"),
        (f"until=2026-07-01T14:05:09.5&{BERLIN}", "2026-07-01T12:05:09.500000+00:00"),
        # A time with an offset is a moment already.
        (f"until=2026-11-29T14:05Z&{BERLIN}", "2026-11-29T14:05:00+00:00"),
        # Of a time that occurs twice, the first one.
        (f"until=2026-10-25T02:30&{BERLIN}", "2026-10-25T00:30:00+00:00"),
    ],
)
def test_a_typed_time_is_in_the_zone_of_its_form(form: str, moment: str | None) -> None:
    found = read_local(QueryDict(form), "until")
    assert (found.isoformat() if found else None) == moment


@pytest.mark.parametrize(
    ("form", "path", "message"),
    [
        ("until=soon", "until", "Enter a date and a time, such as 2026-01-31T18:00."),
        (
            "until=2026-11-29T14:05&zone=Mars",
            "zone",
            "'Mars' is not a time zone; use a name such as Europe/Berlin.",
        ),
        (
            f"until=2026-03-29T02:30&{BERLIN}",
            "until",
            SKIPPED,
        ),
    ],
)
def test_a_time_that_does_not_exist_is_refused(form: str, path: str, message: str) -> None:
    with pytest.raises(BadRequest) as refused:
        read_local(QueryDict(form), "until")
    assert [(each.path, each.message) for each in refused.value.errors] == [(path, message)]


@pytest.mark.parametrize(
    ("query", "absolute"),
    [
        ("since=2026-11-29T14:05&q=a", "since=2026-11-29T14:05&q=a"),
        (f"since=2026-11-29T14:05&q=a&{BERLIN}", "since=2026-11-29T13:05:00.000Z&q=a"),
        (f"since=2026-11-29T14:05Z&until=&{BERLIN}", "since=2026-11-29T14:05Z&until="),
        # Days from their first to their last moment.
        (
            f"since=2026-03-29&until=2026-03-29&{BERLIN}",
            "since=2026-03-28T23:00:00.000Z&until=2026-03-29T22:00:00.000Z",
        ),
        # A day without midnight begins when clocks show 1:00.
        ("since=2018-11-04&zone=America/Sao_Paulo", "since=2018-11-04T03:00:00.000Z"),
        # The reader of the parameter reports texts that are no times.
        (f"since=soon&until=1066-01-01T00:00&{BERLIN}", "since=soon&until=1066-01-01T00:00"),
    ],
)
def test_an_address_has_no_zone(query: str, absolute: str) -> None:
    assert absolute_times(QueryDict(query)) == QueryDict(absolute)


def get(browser: Client, path: str) -> Element:
    """Return a page, and fail unless its markup is valid."""
    page = read_page(browser.get(path))
    assert complaints(page) == []
    return page


@pytest.mark.parametrize(
    "path",
    [
        *("/o/here/events", "/o/here/events/audit", "/o/here/workloads"),
        *("/o/here/usage", "/o/here/usage?by=queue", "/o/here/queues/research/usage"),
    ],
)
def test_a_typed_range_becomes_an_address_for_every_reader(
    path: str,
    world: World,
    owner: Actor,
    viewer: Actor,
    browser: Client,
    client_for: Callable[[Actor], Client],
) -> None:
    in_zone(owner, "Europe/Berlin")
    typed = {"since": "2025-03-10T10:00", "until": "2025-03-10T12:00:00.000"}
    parts = urlsplit(path)
    known = {name: values[0] for name, values in parse_qs(parts.query).items()}
    (zone,) = {each.attrs["value"] for each in get(browser, path).all("input", name="zone")}
    answer = browser.get(parts.path, {**known, **typed, "zone": zone})
    assert answer.status_code == 302
    there = answer.headers["Location"]
    assert {name: values[0] for name, values in parse_qs(urlsplit(there).query).items()} == {
        **known,
        "since": "2025-03-10T09:00:00.000Z",
        "until": "2025-03-10T11:00:00.000Z",
    }
    assert times_of(get(browser, there)) == ["2025-03-10T10:00:00.000", "2025-03-10T12:00:00.000"]
    # The same address in UTC.
    other = get(client_for(viewer), there)
    assert times_of(other) == ["2025-03-10T09:00:00.000", "2025-03-10T11:00:00.000"]
    assert other.all("input", name="zone") == []


def times_of(page: Element) -> list[str]:
    """Return the times in the fields of a page."""
    return [each.attrs["value"] for each in page.all("input", type="datetime-local")]


def test_days_of_the_history_are_those_of_the_zone(
    world: World,
    owner: Actor,
    viewer: Actor,
    browser: Client,
    client_for: Callable[[Actor], Client],
) -> None:
    in_zone(owner, "Europe/Berlin")
    url = "/o/here/config/history"
    answer = browser.get(
        url, {"since": "2026-03-29", "until": "2026-03-29", "zone": "Europe/Berlin"}
    )
    there = answer.headers["Location"]
    assert there == f"{url}?" + urlencode(
        {"since": "2026-03-28T23:00:00.000Z", "until": "2026-03-29T22:00:00.000Z"}
    )
    page = get(browser, there)
    days = [each.attrs["value"] for each in page.all("input", type="date")]
    assert days == ["2026-03-29", "2026-03-29"]
    chips = [each.text for each in page.all("a", class_="chip")]
    assert [text for text in chips if text.startswith(("since", "until"))] == [
        "since 2026-03-29 00:00 UTC+1",
        "until 2026-03-30 00:00 UTC+2",
    ]
    chips = [each.text for each in get(client_for(viewer), there).all("a", class_="chip")]
    assert "since 2026-03-28 23:00 UTC" in chips


def test_a_time_that_clocks_skip_is_an_error_of_the_address(world: World, browser: Client) -> None:
    answer = browser.get("/o/here/events", {"since": "2026-03-29T02:30", "zone": "Europe/Berlin"})
    assert answer.status_code == 400
    assert SKIPPED in read_page(answer).text


def test_a_hold_ends_at_the_typed_time_of_the_zone(
    world: World,
    owner: Actor,
    viewer: Actor,
    browser: Client,
    client_for: Callable[[Actor], Client],
) -> None:
    in_zone(owner, "Asia/Kolkata")
    end = (timezone.now() + timedelta(days=2)).replace(second=0, microsecond=0)
    local = end + timedelta(hours=5, minutes=30)
    url = "/o/here/queues/research"
    (zone,) = {each.attrs["value"] for each in get(browser, url).all("input", name="zone")}
    form = {"reason": "racks", "until": f"{local:%Y-%m-%dT%H:%M}", "zone": zone}
    answer = browser.post(url, {"do": "hold", **form}, follow=True)
    assert QueueHold.objects.get().until == end
    page = read_page(answer)
    assert f"is held until {local:%Y-%m-%d %H:%M} UTC+5:30" in page.text
    assert f"{local:%Y-%m-%d %H:%M:%S} UTC+5:30" in page.id("queue-notices").text
    assert times_of(page.id("hold")) == [form["until"]]
    events = get(browser, "/o/here/events").id("event-rows").text
    assert f"Queue research is held until {local:%Y-%m-%d %H:%M} UTC+5:30: racks." in events
    events = get(client_for(viewer), "/o/here/events").id("event-rows").text
    assert f"Queue research is held until {end:%Y-%m-%d %H:%M} UTC: racks." in events
    audit = get(browser, "/o/here/events/audit").id("audit-rows").text
    assert f"until {local:%Y-%m-%d %H:%M:%S} UTC+5:30" in audit
    # Files stay in UTC.
    facts = b"".join(browser.get("/o/here/events?as=csv"))
    assert f"held until {end:%Y-%m-%d %H:%M} UTC: racks".encode() in facts
