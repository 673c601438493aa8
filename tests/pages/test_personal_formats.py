"""Formats of members: texts of times and counts, at daylight saving changes too, and their form."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from console.orgs.models import Clock, DateOrder, Grouping, User
from console.orgs.permissions import Actor
from console.orgs.time_zones import find_zone, similar_zones, suggested_zones, zones_meant
from console.pages.personal_formats import DEFAULT, PersonalFormats, active_formats, using
from console.pages.presenters.charts.frame import frame_of
from console.pages.templatetags.ui import age, count, exact, zone_field
from tests.pages.conftest import World
from tests.pages.page import Element, complaints, read_page

URL = "/o/here/settings/appearance"
BERLIN = PersonalFormats(zone="Europe/Berlin")
#: The account of a reader whose every format differs from the default.
CHOSEN = {"time_zone": "America/New_York", "date_order": "mdy", "clock": "12", "grouping": "comma"}


def at(text: str) -> datetime:
    """Return a time in UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def wall(text: str) -> datetime:
    """Return a time without a zone, as clocks show it."""
    return datetime.fromisoformat(text)


@pytest.mark.parametrize(
    ("zone", "moment", "second", "bare"),
    [
        ("UTC", "2026-11-29T14:05:09", "2026-11-29 14:05:09 UTC", "2026-11-29 14:05"),
        ("Europe/London", "2026-01-31T12:00", "2026-01-31 12:00:00 UTC", "2026-01-31 12:00"),
        ("Europe/Berlin", "2026-12-31T23:30", "2027-01-01 00:30:00 UTC+1", "2027-01-01 00:30"),
        ("America/New_York", "2026-01-01T03:00", "2025-12-31 22:00:00 UTC-5", "2025-12-31 22:00"),
        (
            "America/St_Johns",
            "2026-01-31T12:00",
            "2026-01-31 08:30:00 UTC-3:30",
            "2026-01-31 08:30",
        ),
        ("Asia/Kathmandu", "2026-01-31T12:00", "2026-01-31 17:45:00 UTC+5:45", "2026-01-31 17:45"),
        # Clocks go forward: one second is followed by an hour later.
        ("Europe/Berlin", "2026-03-29T00:59:59", "2026-03-29 01:59:59 UTC+1", "2026-03-29 01:59"),
        ("Europe/Berlin", "2026-03-29T01:00:00", "2026-03-29 03:00:00 UTC+2", "2026-03-29 03:00"),
        # Clocks go back: of the hour that occurs twice, each time has its offset.
        (
            "Europe/Berlin",
            "2026-10-25T00:30",
            "2026-10-25 02:30:00 UTC+2",
            "2026-10-25 02:30 UTC+2",
        ),
        (
            "Europe/Berlin",
            "2026-10-25T01:30",
            "2026-10-25 02:30:00 UTC+1",
            "2026-10-25 02:30 UTC+1",
        ),
        ("Europe/Berlin", "2026-10-25T02:00", "2026-10-25 03:00:00 UTC+1", "2026-10-25 03:00"),
    ],
)
def test_times_are_in_the_zone_with_their_offset(
    zone: str, moment: str, second: str, bare: str
) -> None:
    formats = PersonalFormats(zone=zone)
    assert (formats.second(at(moment)), formats.bare_minute(at(moment))) == (second, bare)


def test_dates_have_the_chosen_order() -> None:
    moment = at("2026-01-02T14:05:09.25")
    texts = [
        (
            formats.day(moment),
            formats.short_day(moment),
            formats.minute(moment),
            formats.microsecond(moment),
        )
        for formats in (PersonalFormats(date_order=order) for order in DateOrder)
    ]
    assert texts == [
        ("2026-01-02", "2 Jan", "2026-01-02 14:05 UTC", "2026-01-02 14:05:09.250000 UTC"),
        ("2 Jan 2026", "2 Jan", "2 Jan 2026, 14:05 UTC", "2 Jan 2026, 14:05:09.250000 UTC"),
        ("Jan 2, 2026", "Jan 2", "Jan 2, 2026, 14:05 UTC", "Jan 2, 2026, 14:05:09.250000 UTC"),
    ]


def test_a_clock_of_12_hours_has_no_hour_0() -> None:
    hours = [at(f"2026-01-31T{hour:02}:05:09") for hour in (0, 1, 11, 12, 13, 23)]
    formats = PersonalFormats(clock=Clock.HOURS_12)
    assert [formats.time_of_day(each) for each in hours] == [
        *("12:05 AM", "1:05 AM", "11:05 AM"),
        *("12:05 PM", "1:05 PM", "11:05 PM"),
    ]
    assert formats.clock_text(hours[-1]) == "11:05:09 PM UTC"


@pytest.mark.parametrize(
    ("number", "texts"),
    [
        (0, ["0", "0", "0", "0"]),
        (999, ["999", "999", "999", "999"]),
        (1000, ["1\u202f000", "1,000", "1.000", "1000"]),
        (-1234567, ["-1\u202f234\u202f567", "-1,234,567", "-1.234.567", "-1234567"]),
    ],
)
def test_counts_have_the_chosen_separator(number: int, texts: list[str]) -> None:
    assert [PersonalFormats(grouping=each).count(number) for each in Grouping] == texts


def test_every_moment_is_one_of_those_that_its_local_time_means() -> None:
    for zone in ("Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "Asia/Tehran"):
        formats = PersonalFormats(zone=zone)
        hours = (at("2026-01-01T00:10") + timedelta(hours=hour) for hour in range(365 * 24))
        meant = [formats.moments(formats.local(hour).replace(tzinfo=None)) for hour in hours]
        assert {len(each) for each in meant} <= {1, 2}
    assert BERLIN.moments(wall("2026-03-29T02:30")) == ()
    assert BERLIN.moments(wall("2026-10-25T02:30")) == (
        at("2026-10-25T00:30"),
        at("2026-10-25T01:30"),
    )
    assert BERLIN.first_moment(wall("2026-03-29T02:30")) == at("2026-03-29T01:30")


def test_unknown_stored_values_are_the_defaults() -> None:
    """A newer version may have stored them, and the machine may have fewer time zones."""
    assert PersonalFormats.from_values("Mars/Olympus", "ydm", "10", "dot") == DEFAULT
    found = PersonalFormats.from_values(**CHOSEN)
    assert found == PersonalFormats(
        zone="America/New_York",
        date_order=DateOrder.MONTH_FIRST,
        clock=Clock.HOURS_12,
        grouping=Grouping.COMMA,
    )
    assert (found.key, DEFAULT.key) == ("America/New_York.mdy.12.comma", "UTC.iso.24.thin")


def test_zones_are_found_as_people_type_them() -> None:
    zones = suggested_zones()
    assert zones[0] == "UTC"
    assert {"Europe/Berlin", "America/Argentina/Ushuaia", "Asia/Kolkata"} <= set(zones)
    assert not [zone for zone in zones if zone.startswith("Etc/")]
    typed = ("utc", "europe/BERLIN ", "America/New York", "Etc/GMT+5", "", "../etc/passwd")
    assert [find_zone(each) for each in typed] == [
        *("UTC", "Europe/Berlin", "America/New_York", "Etc/GMT+5"),
        *(None, None),
    ]


def test_the_last_part_of_a_zone_means_it_unless_several_have_the_same() -> None:
    typed = ("berlin", " NEW york", "Europe/berlin", "ushuaia", "olympus", "")
    assert [zones_meant(each) for each in typed] == [
        *(("Europe/Berlin",), ("America/New_York",), ("Europe/Berlin",)),
        *(("America/Argentina/Ushuaia",), (), ()),
    ]
    assert len(zones_meant("louisville")) == 2
    assert similar_zones("europe/brlin") == similar_zones("berli") == ("Europe/Berlin",)
    assert (similar_zones("x"), similar_zones("Mars/Olympus")) == ((), ())


def test_formats_are_active_inside_of_a_block_only() -> None:
    def fail() -> None:
        with using(BERLIN):
            assert active_formats() == BERLIN
            assert zone_field() == '<input type="hidden" name="zone" value="Europe/Berlin">'
            raise LookupError

    with pytest.raises(LookupError):
        fail()
    assert (active_formats(), zone_field()) == (DEFAULT, "")


def test_elements_keep_utc_for_programs_and_as_tooltip() -> None:
    moment = at("2026-11-29T14:05:09")
    iso = 'datetime="2026-11-29T14:05:09+00:00"'
    assert exact(moment) == f"<time {iso}>2026-11-29 14:05:09 UTC</time>"
    assert f'<time {iso} title="2026-11-29 14:05:09 UTC" data-age>' in age(moment)
    with using(PersonalFormats.from_values(**CHOSEN)):
        shown = "Nov 29, 2026, 9:05:09 AM UTC-5"
        assert exact(moment) == f'<time {iso} title="2026-11-29 14:05:09 UTC">{shown}</time>'
        assert f'<time {iso} title="{shown} (2026-11-29 14:05:09 UTC)" data-age>' in age(moment)
        assert count(12345) == "12,345"


@pytest.mark.parametrize(
    ("since", "hours", "labels"),
    [
        # A day from midnight to midnight, of 24, 23 and 25 hours.
        ("2026-11-28T23:00", 24, ["29 Nov", "06:00", "12:00", "18:00", "30 Nov"]),
        ("2026-03-28T23:00", 23, ["29 Mar", "06:00", "12:00", "18:00", "30 Mar"]),
        ("2026-10-24T22:00", 25, ["25 Oct", "12:00", "26 Oct"]),
        # Labels every hour: one that clocks skip is missing, one that they repeat occurs twice.
        ("2026-03-29T00:00", 3, ["01:00", "03:00", "04:00", "05:00"]),
        ("2026-10-24T23:30", 3, ["02:00", "02:00", "03:00"]),
    ],
)
def test_axes_have_round_times_of_the_zone(since: str, hours: int, labels: list[str]) -> None:
    begin = at(since)
    with using(BERLIN):
        frame = frame_of(begin, begin + timedelta(hours=hours), ())
    assert ([tick.text for tick in frame.moments], frame.zone) == (labels, "Europe/Berlin")


def test_axes_of_days_are_in_utc() -> None:
    begin = at("2026-01-01T00:00")
    with using(PersonalFormats.from_values(**CHOSEN)):
        frame = frame_of(begin, begin + timedelta(days=8), (), is_by_day=True)
    assert [tick.text for tick in frame.moments] == ["Jan 1", "Jan 3", "Jan 5", "Jan 7", "Jan 9"]
    assert (frame.zone, frame.range_text) == (
        "UTC",
        "Jan 1, 2026, 12:00 AM to Jan 9, 2026, 12:00 AM",
    )


def checked(page: Element) -> list[str]:
    """Return the chosen formats of the form."""
    boxes = page.all("input", type="radio")
    return [
        box.attrs["id"]
        for box in boxes
        if "checked" in box.attrs and box.attrs["name"] in ("date_order", "clock", "grouping")
    ]


def formats_of(actor: Actor) -> dict[str, Any]:
    """Return the formats of the account of a member."""
    assert actor.user is not None
    return User.objects.values(*CHOSEN).get(pk=actor.user.pk)


def test_the_next_page_has_the_chosen_formats(
    world: World,
    owner: Actor,
    viewer: Actor,
    browser: Client,
    client_for: Callable[[Actor], Client],
) -> None:
    page = read_page(browser.get(URL))
    assert complaints(page) == []
    assert page.id("time-zone").attrs["value"] == "UTC"
    assert checked(page) == ["date_order-iso", "clock-24", "grouping-thin"]
    assert page.id("date_order-mdy-words").text == "Nov 29, 2026"
    assert page.id("clock-12-words").text == "2:05 PM"
    assert page.id("formats-example").text.endswith("UTC. A large count is 12 345 678.")
    answer = browser.post(URL, {"do": "formats", **CHOSEN, "time_zone": " america/new york"})
    assert (answer.status_code, answer.headers["Location"]) == (302, URL)
    assert formats_of(owner) == CHOSEN
    page = read_page(browser.get(URL))
    assert complaints(page) == []
    assert "Saved for your account." in page.text
    assert page.id("time-zone").attrs["value"] == "America/New_York"
    assert checked(page) == ["date_order-mdy", "clock-12", "grouping-comma"]
    assert page.id("formats-example").text.endswith("A large count is 12,345,678.")
    (root,) = page.all("html")
    assert root.attrs["data-grouping"] == ","
    status = read_page(browser.get("/o/here/queues")).id("live-status")
    assert (status.attrs["data-zone"], status.attrs["data-clock"]) == ("America/New_York", "12")
    # No other member, and no setting of the browser, has changed.
    assert formats_of(viewer)["time_zone"] == "UTC"
    status = read_page(client_for(viewer).get("/o/here/queues")).id("live-status")
    assert (status.attrs["data-zone"], status.attrs["data-clock"]) == ("UTC", "24")


def test_the_last_part_of_a_zone_is_stored_as_its_full_name(
    world: World, owner: Actor, browser: Client
) -> None:
    answer = browser.post(URL, {"do": "formats", **CHOSEN, "time_zone": "berlin"})
    assert answer.status_code == 302
    assert formats_of(owner)["time_zone"] == "Europe/Berlin"


@pytest.mark.parametrize(
    ("wrong", "place", "message"),
    [
        (
            {"time_zone": "Berln"},
            "time-zone-error",
            "There is no time zone 'Berln'. Did you mean Europe/Berlin?",
        ),
        (
            {"time_zone": "Louisville"},
            "time-zone-error",
            (
                "Several time zones end with 'Louisville'. "
                "Enter America/Kentucky/Louisville or America/Louisville."
            ),
        ),
        (
            {"time_zone": "Mars/Olympus"},
            "time-zone-error",
            "There is no time zone 'Mars/Olympus'. Enter one of the list, or UTC.",
        ),
        (
            {"time_zone": " "},
            "time-zone-error",
            "Enter a time zone, such as Europe/Berlin, or UTC.",
        ),
        ({"clock": "10"}, "clock-error", "clock has to be one of: 24, 12."),
        (
            {"grouping": ""},
            "grouping-error",
            "grouping has to be one of: thin, comma, point, none.",
        ),
    ],
)
def test_an_invalid_format_is_reported_at_its_field_and_nothing_is_stored(
    world: World, owner: Actor, browser: Client, wrong: dict[str, str], place: str, message: str
) -> None:
    answer = browser.post(URL, {"do": "formats", **CHOSEN, **wrong})
    page = read_page(answer)
    assert (answer.status_code, complaints(page)) == (422, [])
    assert page.id(place).text == message
    # The head of the page has the message, too, with a link to the field.
    (summary,) = page.all("div", role="alert")
    (link,) = summary.all("a")
    assert summary.text.endswith(message)
    anchor = link.attrs["href"].removeprefix("#")
    assert anchor.partition("-")[0] == place.partition("-")[0]
    assert ("autofocus" in page.id(anchor).attrs) == ("time_zone" in wrong)
    # The typed values stay in the form.
    assert page.id("time-zone").attrs["value"] == (CHOSEN | wrong)["time_zone"]
    assert "date_order-mdy" in checked(page)
    assert formats_of(owner)["date_order"] == "iso"


def test_formats_in_the_address_are_shown_and_not_stored(
    world: World, owner: Actor, browser: Client
) -> None:
    page = read_page(browser.get(URL, CHOSEN))
    assert page.id("formats-example").text.endswith("A large count is 12,345,678.")
    assert formats_of(owner)["time_zone"] == "UTC"
    wrong = read_page(browser.get(URL, {**CHOSEN, "time_zone": "x"}))
    assert wrong.id("formats-example").text.startswith("There is no time zone 'x'.")
