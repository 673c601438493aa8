"""Sparklines: one line per queue from a constant number of queries, with gaps and a sentence."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.template.loader import render_to_string
from django.test.utils import CaptureQueriesContext

from console.orgs.models import Organization
from console.pages.presenters.charts.sparklines import count_sparkline, used_sparklines
from console.series.models import SampledHour, Step
from console.series.queries import spark_of_all, sparks_of
from console.series.stored import point_of
from console.series.subjects import WHOLE_ORG, Subject
from console.series.totals import Level, Totals

NOW = datetime(2026, 3, 14, 12, 30, 20, tzinfo=UTC)
HOUR = NOW.replace(minute=0, second=0)


def point(org: Organization, subject: Subject, step: Step, start: datetime, tightest: int) -> None:
    totals = Totals(minutes=1, running=Level.of(tightest // 100), tightest=tightest)
    point_of(org.pk, subject, step, start, totals).save()


@pytest.fixture
def day(org: Organization) -> Organization:
    """Write samples of a queue that is full at eight and borrows at ten; none at nine."""
    for hour, tightest in ((8, 1000), (10, 1500), (12, 250)):
        start = HOUR.replace(hour=hour)
        SampledHour.objects.create(org=org, start=start, minutes=1)
        point(org, Subject.queue("team"), Step.HOUR, start, tightest)
        point(org, WHOLE_ORG, Step.HOUR, start, tightest)
    return org


def test_a_day_by_the_hour(day: Organization) -> None:
    sparks = sparks_of(day, ["team", "idle"], now=NOW)
    assert (sparks.step, sparks.since) == (Step.HOUR, HOUR - timedelta(hours=23))
    assert sparks.courses["team"][-5:] == (1000, None, 1500, None, 250)
    assert sparks.courses["idle"][-5:] == (0, None, 0, None, 0)
    lines = used_sparklines(sparks)
    assert lines["team"].sentence == "Of the nominal quota, last 5 hours: peak 150%, last 25%"
    assert lines["idle"].sentence == "Of the nominal quota, last 5 hours: peak 0%, last 0%"
    # Three segments with gaps between them; the chart starts with the first sample.
    (area, edge) = lines["team"].shapes
    assert edge.path.startswith("M0 ")
    assert (area.path.count("M"), edge.path.count("M")) == (3, 3)


def test_a_young_organization_by_the_minute(org: Organization) -> None:
    SampledHour.objects.create(org=org, start=HOUR, minutes=0b1111 << 27)
    point(org, Subject.queue("team"), Step.MINUTE, HOUR + timedelta(minutes=27), 500)
    point(org, Subject.queue("team"), Step.MINUTE, HOUR + timedelta(minutes=29), 0)
    sparks = sparks_of(org, ["team"], now=NOW)
    assert sparks.courses["team"] == (None,) * 56 + (500, 500, 0, 0)
    assert used_sparklines(sparks)["team"].sentence == (
        "Of the nominal quota, last 4 minutes: peak 50%, last 0%"
    )


def test_hours_that_are_not_rolled_up_are_read_from_minutes(day: Organization) -> None:
    team, later = Subject.queue("team"), NOW + timedelta(hours=1)
    SampledHour.objects.create(org=day, start=HOUR + timedelta(hours=1), minutes=1)
    # The hour before was rolled up before its end; usage has grown since.
    for minute, tightest in ((0, 250), (40, 750), (50, 500)):
        point(day, team, Step.MINUTE, HOUR + timedelta(minutes=minute), tightest)
    point(day, team, Step.MINUTE, HOUR + timedelta(hours=1), 625)
    sparks = sparks_of(day, ["team", "idle"], now=later)
    assert sparks.courses["team"][-4:] == (1500, None, 750, 625)
    assert sparks.courses["idle"][-4:] == (0, None, 0, 0)


def test_without_samples_there_is_a_sentence(org: Organization) -> None:
    sparks = sparks_of(org, ["team"], now=NOW)
    line = used_sparklines(sparks)["team"]
    assert (line.shapes, line.sentence) == ((), "Of the nominal quota, last hour: no data yet")


def test_counts_of_everything(day: Organization) -> None:
    line = count_sparkline(spark_of_all(day, "running_peak", now=NOW), "Running workloads")
    assert line.sentence == "Running workloads, last 5 hours: peak 15, last 2"


def test_queries_do_not_grow_with_queues(day: Organization) -> None:
    for names in (["team"], [f"queue-{n}" for n in range(300)]):
        with CaptureQueriesContext(connection) as queries:
            sparks_of(day, names, now=NOW)
        assert len(queries) == 2


def test_a_sparkline_is_a_picture_with_a_name(day: Organization) -> None:
    spark = used_sparklines(sparks_of(day, ["team"], now=NOW))["team"]
    html = render_to_string("series/_sparkline.html", {"spark": spark})
    assert f'role="img" aria-label="{spark.sentence}"' in html
    assert render_to_string("series/_sparkline.html", {"spark": None}).strip() == ""
