"""Usage pages: charts, tables and files show the same numbers, and gaps stay gaps."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from console.configs.models import ConfigVersion
from console.configs.services.apply_config import apply_config
from console.orgs.models import AuditEntry, Organization, User
from console.orgs.permissions import Actor
from console.series.models import SampledHour, Sampler, Tally
from console.series.services.roll_up import roll_up_org
from console.series.services.sample_org import sample_org
from console.series.services.sample_orgs import sample_orgs
from console.workloads.models import Workload
from console.workloads.services.end_workloads import finish_workloads
from console.workloads.services.hold_queue import hold_queue, resume_queue
from tests.pages.conftest import CONFIG, World
from tests.pages.page import Element, complaints, read_page

NOW = datetime(2026, 3, 14, 12, 30, 20, tzinfo=UTC)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timezone, "now", lambda: NOW)


@pytest.fixture
def sampled(clock: None, world: World) -> Organization:
    """Sample the world for ten minutes, not for three, and again for five."""
    # Everything so far happened in the last of these minutes.
    assert {each.start for each in Tally.objects.all()} == {NOW.replace(second=0)}
    ConfigVersion.objects.update(created_at=NOW - timedelta(minutes=12))
    for ago in [*range(17, 7, -1), *range(4, -1, -1)]:
        sample_orgs(NOW - timedelta(minutes=ago))
        sample_org(world.org.pk, NOW - timedelta(minutes=ago))
    return world.org


def get(browser: Client, path: str, **query: str) -> Element:
    """Return a page, and fail unless its markup is valid."""
    response = browser.get(f"/o/here/{path}", query)
    assert response.status_code == 200, response.content
    page = read_page(response)
    assert complaints(page) == []
    return page


def chart_texts(page: Element) -> dict[str, str]:
    """Return the text alternative of each drawing."""
    return {
        svg.attrs["data-panel"]: svg.attrs["aria-label"]
        for svg in page.all("svg")
        if "data-panel" in svg.attrs
    }


def paths_of(page: Element, panel: str) -> dict[str, str]:
    """Return the paths of a panel's drawing by their kind."""
    chart = page.id(f"chart-{panel}").all("figure")[0]
    return {
        path.attrs["data-part"]: path.attrs["d"]
        for path in chart.all("path")
        if "data-part" in path.attrs
    }


def test_a_queue_over_the_last_hour(sampled: Organization, browser: Client) -> None:
    page = get(browser, "queues/research/usage", range="1h")
    assert chart_texts(page) == {
        "use": "Usage of gpu on spot: 6 to 6, last 6; nominal 8.",
        "demand": "Pending workloads requested gpu: 4 to 4, last 4.",
        "workloads": "Workloads running: 1 to 1, last 1. Pending: 2 to 2, last 2.",
        "waits": "Wait until admission: p50 from under 0.1 s to under 0.1 s, n = 2.",
    }
    # 60 minutes: a gap of 42, then ten sampled, three not, five sampled.
    assert paths_of(page, "use") == {
        "own": "M700 25H866.7V100H700ZM916.7 25H1000V100H916.7Z",
        "peak": "M700 25H866.7M916.7 25H1000",
        "nominal": "M700 0H1000",
        "limit": "M700 0H1000",
    }
    gaps = [
        (box.attrs["x"], box.attrs["width"])
        for box in page.id("chart-use").all("rect", class_="chart__gap")
        if "x" in box.attrs
    ]
    assert gaps == [("866.7", "50")]
    assert "No samples for 3 minutes of this time range" in page.id("usage-charts").text
    # Before the first sample there is no gap: there was nothing to sample.
    (before,) = [
        (box.attrs["x"], box.attrs["width"])
        for box in page.id("chart-use").all("rect", class_="chart__before")
        if "x" in box.attrs
    ]
    assert before == ("0", "700")
    assert "data since 2026-03-14 12:13" in page.id("chart-use").text


def test_simulated_history_is_marked_on_the_page_and_in_its_charts(
    sampled: Organization, browser: Client
) -> None:
    assert "Simulated" not in get(browser, "queues/research/usage", range="1h").text
    sampled.simulated_until = NOW - timedelta(minutes=12)
    sampled.save(update_fields=["simulated_until"])
    page = get(browser, "queues/research/usage", range="1h")
    (line,) = page.all("p", class_="simulated")
    assert line.text == (
        "Simulated history. Everything before 2026-03-14 12:18 UTC was generated for this demo."
    )
    for panel in ("use", "demand", "workloads", "waits"):
        chart = page.id(f"chart-{panel}")
        boxes = [
            (box.attrs["x"], box.attrs["width"])
            for box in chart.all("rect", class_="chart__simulated")
            if "x" in box.attrs
        ]
        # From the first sample on.
        assert boxes == [("700", "88.9")]
        assert "simulated before 2026-03-14 12:18" in chart.text
    # A later time range has no simulated part.
    sampled.simulated_until = NOW - timedelta(days=1)
    sampled.save(update_fields=["simulated_until"])
    page = get(browser, "queues/research/usage", range="1h")
    assert page.all("rect", class_="chart__simulated") == []
    assert len(page.all("p", class_="simulated")) == 1


def test_versions_are_marked_and_lead_to_the_version(
    sampled: Organization, browser: Client
) -> None:
    page = get(browser, "queues/research/usage", range="1h")
    for panel in ("use", "demand", "workloads", "waits"):
        (link,) = page.id(f"chart-{panel}").all("figure")[0].all("a")
        assert link.text == "Version 1, 2026-03-14 12:18 UTC by owner@here.example v1"
        assert link.attrs["href"] == "/o/here/config/v/1"
    assert page.id("usage-versions").all("li")[0].text.startswith("v1 2026-03-14 12:18 UTC by")
    earlier = get(
        browser, "queues/research/usage", since="2026-03-14T11:00", until="2026-03-14T12:00"
    )
    assert "v1" not in earlier.id("usage-charts").text


def test_charts_are_in_the_zone_of_the_reader_and_files_in_utc(
    sampled: Organization, owner: Actor, browser: Client
) -> None:
    assert owner.user is not None
    User.objects.filter(pk=owner.user.pk).update(time_zone="Asia/Kolkata", clock="12")
    page = get(browser, "queues/research/usage", range="1h", table="use")
    chart = page.id("chart-use")
    assert chart.all("th")[0].text == "From (Asia/Kolkata)"
    assert chart.rows()[0][0] == "2026-03-14 5:01 PM"
    assert "times in Asia/Kolkata" in chart.text
    (link,) = chart.all("figure")[0].all("a")
    assert link.text == "Version 1, 2026-03-14 5:48 PM UTC+5:30 by owner@here.example v1"
    answer = browser.get("/o/here/queues/research/usage?range=1h&as=csv&chart=use")
    file = list(csv.DictReader(io.StringIO(b"".join(answer).decode())))
    assert file[0]["start"] == "2026-03-14T11:31:00Z"
    # Days are those of UTC.
    page = get(browser, "queues/research/usage", since="2025-11-01T00:00Z", table="use")
    chart = page.id("chart-use")
    assert chart.all("th")[0].text == "From (UTC)"
    assert {row[0].partition(" ")[2] for row in chart.rows()} == {"12:00 AM"}
    assert "times in UTC" in chart.text


@pytest.mark.parametrize("chart", ["use", "demand", "workloads", "waits"])
def test_a_table_and_a_file_say_what_is_drawn(
    sampled: Organization, browser: Client, chart: str
) -> None:
    page = get(browser, "queues/research/usage", range="1h", table=chart)
    rows = page.id(f"chart-{chart}").rows()
    answer = browser.get("/o/here/queues/research/usage?range=1h&as=csv&chart=" + chart)
    file = list(csv.DictReader(io.StringIO(b"".join(answer).decode())))
    assert len(rows) == len(file) == 60
    times = [f"{row['start'][:10]} {row['start'][11:16]}" for row in file]
    assert [row[0] for row in rows] == times
    assert [row[1] for row in rows] == [
        row["sampled_minutes"] if row["sampled_minutes"] != "0" else "no data" for row in file
    ]
    last, gap = file[-1], file[0]
    assert {name: (gap[name], last[name]) for name in list(last)[2:]} == {
        "use": {
            "own_mean": ("", "6.0"),
            "borrowed_mean": ("", "0.0"),
            "over_mean": ("", "0.0"),
            "lent_mean": ("", "0.0"),
            "used_peak": ("", "6.0"),
            "nominal": ("", "8.0"),
            "limit": ("", "8.0"),
            "preempted": ("0", "0"),
        },
        "demand": {
            "demand_mean": ("", "4.0"),
            "demand_peak": ("", "4.0"),
            "cannot_run_demand_peak": ("", "80.0"),
        },
        "workloads": {
            "running_mean": ("", "1.0"),
            "running_peak": ("", "1"),
            "pending_mean": ("", "2.0"),
            "pending_peak": ("", "2"),
            "submitted": ("0", "4"),
            "admitted": ("0", "2"),
            "rejected": ("0", "0"),
            "preempted": ("0", "0"),
            "finished": ("0", "1"),
            "withdrawn": ("0", "0"),
        },
        "waits": {"wait_p50": ("", "0.0"), "wait_p95": ("", ""), "waits": ("0", "2")},
    }[chart]


def test_everything_and_a_queue_without_quota(sampled: Organization, browser: Client) -> None:
    everything = chart_texts(get(browser, "usage", range="1h"))
    assert everything["use"] == "Usage of gpu on spot: 6 to 6, last 6; nominal 8."
    assert everything["workloads"].startswith("Workloads running: 2 to 2")
    page = get(browser, "queues/default/usage", range="1h")
    assert set(chart_texts(page)) == {"workloads", "waits"}
    assert "workloads routed to this queue are admitted at once" in page.id("usage-charts").text


def test_longer_times_are_read_by_the_hour(sampled: Organization, browser: Client) -> None:
    roll_up_org(sampled.pk, NOW)
    page = get(browser, "queues/research/usage", range="7d", table="use")
    rows = page.id("chart-use").rows()
    assert len(rows) == 169
    assert rows[-1] == ["2026-03-14 12:00", "15", "6", "0", "0", "0", "6", "8", "8", "0"]
    assert {row[1] for row in rows[:-1]} == {"no data"}
    assert "One value per hour" in page.id("usage-charts").text


def test_a_month_is_drawn_with_its_peak(sampled: Organization, browser: Client) -> None:
    roll_up_org(sampled.pk, NOW)
    page = get(browser, "queues/research/usage", range="30d", table="use")
    rows = page.id("chart-use").rows()
    assert len(rows) <= 240
    assert rows[-1][2:7] == ["6", "0", "0", "0", "6"]
    assert "charts combine several" in page.id("usage-charts").text


def test_before_the_first_sample_there_is_a_sentence(
    world: World, clock: None, browser: Client
) -> None:
    page = get(browser, "queues/research/usage")
    assert "No samples yet" in page.id("usage-charts").text
    assert not Sampler.objects.exists()


def test_the_page_is_updated_once_a_minute(sampled: Organization, browser: Client) -> None:
    page = get(browser, "queues/research/usage")
    version = page.id("live-poll").attrs["data-version"]
    url = "/o/here/queues/research/usage"
    assert browser.get(url, {"v": version}).status_code == 204
    sample_orgs(NOW + timedelta(minutes=1))
    sample_org(sampled.pk, NOW + timedelta(minutes=1))
    assert browser.get(url, {"v": version}).status_code == 200


@pytest.mark.parametrize(
    "query",
    [
        {"range": "2h"},
        {"since": "yesterday"},
        {"since": "2026-03-14T13:00"},
        {"table": "some"},
        {"as": "pdf"},
        {"as": "csv", "chart": "all"},
    ],
)
def test_invalid_parameters_are_refused(
    sampled: Organization, browser: Client, query: dict[str, str]
) -> None:
    response = browser.get("/o/here/queues/research/usage", query)
    assert response.status_code == 400
    assert complaints(read_page(response)) == []


def test_queries_do_not_grow_with_the_time_range(
    sampled: Organization, browser: Client, owner: Actor, settle: Callable[[Organization], int]
) -> None:
    roll_up_org(sampled.pk, NOW)

    def asked(**query: str) -> int:
        with CaptureQueriesContext(connection) as queries:
            get(browser, "queues/research/usage", **query)
        return len(queries)

    asked(range="30d")
    first = asked(range="30d")
    for days in range(1, 20):
        SampledHour.objects.create(
            org=sampled, start=NOW.replace(minute=0, second=0) - timedelta(days=days), minutes=7
        )
    assert asked(range="30d") == first
    assert asked(range="1h") <= first


def test_a_renamed_queue_goes_on_under_its_new_name(
    sampled: Organization, owner: Actor, browser: Client, settle: Callable[[Organization], int]
) -> None:
    text = CONFIG.replace("name: research\n", "name: labs\n")
    renamed = text.replace("resource_queue: research", "resource_queue: labs")
    apply_config(owner, "native", renamed, "research becomes labs", 1)
    # The clock stands still here: all samples so far precede the rename.
    ConfigVersion.objects.filter(number=2).update(created_at=NOW + timedelta(seconds=30))
    running = [
        str(uid) for uid in Workload.objects.filter(state="admitted").values_list("uid", flat=True)
    ]
    assert browser.get("/o/here/queues/research/usage").status_code == 200
    finish_workloads(owner, running)
    settle(sampled)
    answer = browser.get("/o/here/queues/research/usage?range=1h&table=use&v=1")
    assert (answer.status_code, answer.headers["Location"]) == (
        302,
        "/o/here/queues/labs/usage?range=1h&table=use",
    )
    page = get(browser, "queues/labs/usage", range="1h", table="use")
    assert chart_texts(page)["use"] == "Usage of gpu on spot: 6 to 6, last 6; nominal 8."
    assert "Until 2026-03-14 12:30 UTC the name was research." in page.id("usage-charts").text
    assert [row for row in page.id("chart-use").rows() if row[1] != "no data"][-1] == [
        *("2026-03-14 12:30", "1", "6", "0", "0", "0", "6", "8", "8", "0")
    ]


def selected_range(page: Element) -> list[str]:
    """Return the time range that is marked as selected."""
    (nav,) = (nav for nav in page.all("nav") if nav.attrs.get("aria-label") == "Time range")
    return [link.text for link in nav.all("a") if "aria-current" in link.attrs]


@pytest.mark.parametrize(
    ("age", "title", "said_why"),
    [
        (timedelta(minutes=20), "1 hour", True),
        (timedelta(minutes=59), "1 hour", True),
        (timedelta(hours=5), "6 hours", True),
        (timedelta(hours=7), "24 hours", False),
        (timedelta(days=300), "24 hours", False),
    ],
)
def test_a_time_is_as_long_as_there_is_something_to_see(
    world: World, clock: None, browser: Client, age: timedelta, title: str, said_why: bool
) -> None:
    sample_orgs(NOW - age)
    sample_org(world.org.pk, NOW - age)
    page = get(browser, "queues/research/usage")
    assert selected_range(page) == [title]
    told = [each.text for each in page.all("p") if each.attrs.get("id") == "usage-age"]
    began = NOW - age
    assert told == (
        [f"{title} {verb} shown, because data begins at {began:%Y-%m-%d %H:%M} UTC."]
        if (verb := "is" if title == "1 hour" else "are") and said_why
        else []
    )
    assert selected_range(get(browser, "queues/research/usage", range="7d")) == ["7 days"]
    assert selected_range(get(browser, "usage", since="2026-03-14T11:00")) == []


def test_holds_and_preempted_work_are_marked_and_told(
    sampled: Organization, owner: Actor, browser: Client
) -> None:
    hold_queue(owner, "research", "racks")
    resume_queue(owner, "research")
    hold_queue(owner, "research", "moving")
    entries = AuditEntry.objects.filter(kind="queue").order_by("id")
    for entry, ago in zip(entries, (50, 40, 6), strict=True):
        AuditEntry.objects.filter(pk=entry.pk).update(created_at=NOW - timedelta(minutes=ago))
    minute = NOW.replace(second=0) - timedelta(minutes=3)
    for name, count in (("queue", 2), ("org", 3)):
        Tally.objects.create(
            org=sampled,
            kind=name,
            name="research" if name == "queue" else "",
            start=minute,
            what="preempted",
            bucket=0,
            count=count,
        )
    page = get(browser, "queues/research/usage", range="1h")
    chart = page.id("chart-use")
    held = [
        (box.attrs["x"], box.attrs["width"])
        for box in chart.all("rect", class_="chart__hold")
        if "x" in box.attrs
    ]
    assert held == [("155.6", "166.7"), ("888.9", "111.1")]
    assert [item.text for item in page.id("usage-holds").all("li")] == [
        "Held from 2026-03-14 11:40 to 2026-03-14 11:50 UTC: racks",
        "Held since 2026-03-14 12:24 UTC: moving",
    ]
    strip = [
        svg for svg in chart.all("svg", class_="chart__stops") if "preserveaspectratio" in svg.attrs
    ]
    assert [line.attrs["x1"] for line in strip[0].all("line")] == ["941.7"]
    assert "preempted (2)" in chart.text
    # Waits have no marks of preemptions, and an organization cannot be held.
    assert "preempted (" not in page.id("chart-waits").text
    everything = get(browser, "usage", range="1h")
    assert "preempted (3)" in everything.id("chart-use").text
    assert "held" not in everything.id("chart-use").text


def test_all_tables_at_once_are_what_the_cursor_reads(
    sampled: Organization, browser: Client
) -> None:
    page = get(browser, "queues/research/usage", range="1h", table="all")
    for panel in ("use", "demand", "workloads", "waits"):
        (plot,) = (each for each in page.all("div") if each.attrs.get("data-plot") == panel)
        assert int(plot.attrs["data-count"]) == len(page.id(f"chart-{panel}").rows()) == 60
        assert plot.attrs["data-stride"] == "1.6667"
        (slider,) = plot.all("input")
        # Without scripts the control would do nothing.
        assert "hidden" in slider.attrs
        assert slider.attrs["max"] == "59"
