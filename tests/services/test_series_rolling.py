"""Rollup and retention of series: idempotent, without losses, and nothing deleted too early."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from console.orgs.models import Organization
from console.series.models import (
    QuotaLine,
    SampledDay,
    SampledHour,
    Sampler,
    SeriesPoint,
    Step,
    Tally,
)
from console.series.queries import (
    counts_at,
    counts_series,
    rolled_until,
    series_of,
    wait_quantiles,
    wait_quantiles_of,
)
from console.series.retention import RetentionPeriods
from console.series.services.forget_series import forget_series
from console.series.services.roll_up import due_for_rolling, roll_up_lock, roll_up_org
from console.series.services.sample_org import sample_org
from console.series.services.sample_orgs import sample_orgs
from console.series.stored import point_of
from console.series.subjects import WHOLE_ORG, Subject
from console.series.totals import Cell, Level, Totals, merge

NOON = datetime(2026, 3, 14, 12, tzinfo=UTC)
TEAM = Subject.queue("team")
Record = Callable[..., None]


def roll_up(now: datetime) -> bool:
    """Roll up all organizations that are due, like the tasks; return whether any work is left."""
    left = [org_id for org_id in due_for_rolling(now) if roll_up_org(org_id, now)]
    return bool(left)


def used(amount: int) -> Totals:
    """Return the totals of a minute with a usage of *amount* and one running workload."""
    return Totals(
        minutes=1,
        running=Level.of(1),
        cells={("any", "gpu"): Cell(used=Level.of(amount))},
        tightest=amount,
    )


@pytest.fixture
def record(org: Organization) -> Record:
    """Return a function that samples one minute of a queue and of the organization."""
    Sampler.objects.create(org=org, is_empty=False)

    def one(at: datetime, amount: int, admitted: int = 0, bucket: int = 0) -> None:
        hour, _ = SampledHour.objects.get_or_create(
            org=org, start=at.replace(minute=0), defaults={"minutes": 0}
        )
        hour.minutes |= 1 << at.minute
        hour.save()
        for subject in (TEAM, WHOLE_ORG):
            point_of(org.pk, subject, Step.MINUTE, at, used(amount)).save()
            if admitted:
                Tally.objects.create(
                    org=org, kind=subject.kind, name=subject.name, start=at,
                    what="admitted", bucket=bucket, count=admitted,
                )  # fmt: skip

    return one


def rows() -> list[tuple[object, ...]]:
    """Return all rolled-up rows."""
    points = SeriesPoint.objects.exclude(step="minute").order_by("step", "kind", "start")
    return [
        *points.values_list("kind", "name", "step", "start", "minutes", "running", "cells"),
        *points.values_list("counts", "waits"),
        *SampledDay.objects.order_by("pk").values_list("start", "minutes"),
    ]


def waits(step: Step) -> dict[str, int]:
    """Return the admissions of the queue by bucket in the rows of *step*."""
    found: Counter[str] = Counter()
    for stored in SeriesPoint.objects.filter(step=step.value, kind="queue"):
        found.update(stored.waits)
    return dict(found)


def test_an_hour_is_the_sum_of_its_minutes_and_a_day_of_its_hours(
    org: Organization, record: Record
) -> None:
    record(NOON, 1000, admitted=2, bucket=5)
    record(NOON + timedelta(minutes=10), 4000, admitted=1, bucket=5)
    record(NOON + timedelta(minutes=70), 2000, admitted=1, bucket=9)
    assert not roll_up(NOON + timedelta(hours=3))
    hours = series_of(org, TEAM, NOON, NOON + timedelta(hours=2), Step.HOUR)
    minutes = series_of(org, TEAM, NOON, NOON + timedelta(hours=2), Step.MINUTE)
    (day,) = series_of(org, TEAM, NOON, NOON, Step.DAY).readings
    assert merge(each.totals for each in minutes.readings) == merge(
        each.totals for each in hours.readings
    )
    assert day.totals == merge(each.totals for each in hours.readings)
    cell = day.totals.cells["any", "gpu"]
    assert (day.totals.minutes, cell.used) == (3, Level(7000, 4000))
    assert waits(Step.HOUR) == waits(Step.DAY) == {"5": 3, "9": 1}


def test_rolling_up_again_changes_nothing(record: Record) -> None:
    record(NOON, 1000, admitted=2)
    for minute in (1, 1, 30, 61, 62):
        roll_up(NOON + timedelta(minutes=minute))
    before = rows()
    Sampler.objects.update(rolled_until=None)
    roll_up(NOON + timedelta(minutes=62))
    assert rows() == before


def test_an_hour_is_written_again_until_it_is_final(org: Organization, record: Record) -> None:
    record(NOON, 1000, admitted=1)
    roll_up(NOON + timedelta(minutes=20))
    record(NOON + timedelta(minutes=59), 3000, admitted=1)
    roll_up(NOON + timedelta(minutes=61))
    assert rolled_until(org) is None
    # A slow batch that began in the last minute of the hour.
    Tally.objects.filter(start=NOON + timedelta(minutes=59)).update(count=5)
    roll_up(NOON + timedelta(minutes=63))
    assert rolled_until(org) == NOON + timedelta(hours=1)
    assert waits(Step.HOUR) == {"0": 6}
    assert counts_series(org, since=NOON, until=NOON + timedelta(minutes=1))[NOON].counts == {
        "admitted": 6
    }


def test_readings_are_the_same_before_and_after_rolling_up(
    org: Organization, record: Record
) -> None:
    for minute in (0, 3, 59, 60, 119, 121):
        record(NOON + timedelta(minutes=minute), minute + 1, admitted=1, bucket=minute)
    since, until = NOON - timedelta(hours=30), NOON + timedelta(hours=2, minutes=5)

    def read() -> list[object]:
        found: list[object] = []
        for step in Step:
            series = series_of(org, TEAM, since, until, step)
            found += [series.readings, series.gaps]
            counts = counts_series(org, "team", since=since, until=until, step=step)
            found.append({start: dict(each.waits) for start, each in counts.items()})
        found.append(wait_quantiles(org, "team", now=until))
        return found

    before = read()
    roll_up(until)
    assert rolled_until(org) == NOON + timedelta(hours=2)
    assert read() == before


def test_a_long_absence_is_caught_up_with_in_several_passes(
    org: Organization, record: Record
) -> None:
    record(NOON, 1000)
    late = NOON + timedelta(days=4)
    record(late, 2000)
    passes = 1
    while roll_up(late + timedelta(minutes=5)):
        passes += 1
    assert passes == 2
    assert rolled_until(org) == late
    days = series_of(org, TEAM, NOON, late, Step.DAY)
    assert [each.totals.minutes for each in days.readings] == [1, 0, 0, 0, 1][: len(days.readings)]
    (gap,) = days.gaps
    assert (gap[1] - gap[0]).days == 3


def test_only_one_rolls_up_at_a_time(org: Organization, record: Record) -> None:
    record(NOON, 1000)
    with roll_up_lock(org.pk, NOON) as sampler:
        assert sampler is not None
        assert forget_series(NOON) == 0
        assert not roll_up(NOON + timedelta(minutes=1))
        assert rows() == []
        # A worker without a sign of life for two minutes counts as gone.
        roll_up(NOON + timedelta(minutes=3))
    assert rows() != []


def test_rows_older_than_the_retention_period_are_deleted(
    org: Organization, record: Record
) -> None:
    # Short periods, because every hour since the first row is rolled up.
    kept = RetentionPeriods(minutes=2, hours=4, days=6)
    first = NOON - timedelta(days=8)
    for days_ago in (8, 5, 3, 1):
        record(NOON - timedelta(days=days_ago), 1000, admitted=1)
    QuotaLine.objects.create(
        org=org, kind="queue", name="team", since=first, until=first + timedelta(days=1),
        config_version=1, quotas=[],
    )  # fmt: skip
    while roll_up(NOON):
        pass
    assert forget_series(NOON, kept) > 0
    assert forget_series(NOON, kept) == 0
    left = {
        step.value: SeriesPoint.objects.filter(step=step.value, kind="queue").count()
        for step in Step
    }
    assert left == {"minute": 1, "hour": 2, "day": 3}
    assert Tally.objects.filter(kind="queue").count() == 1
    assert (SampledHour.objects.count(), SampledDay.objects.count()) == (2, 3)
    assert not QuotaLine.objects.exists()


def test_minutes_that_are_not_rolled_up_are_not_forgotten(record: Record) -> None:
    record(NOON - timedelta(days=50), 1000, admitted=1)
    forget_series(NOON, RetentionPeriods(minutes=1, hours=1, days=1))
    # Nothing is rolled up yet, and no progress is stored.
    assert SeriesPoint.objects.filter(step="minute").count() == 2
    assert Tally.objects.count() == 2


def test_waits_are_of_the_hours_asked_for(org: Organization, record: Record) -> None:
    for hours_ago, bucket in ((30, 100), (23, 40), (1, 10), (0, 10)):
        record(NOON - timedelta(hours=hours_ago), 1000, admitted=10, bucket=bucket)
    roll_up(NOON + timedelta(minutes=1))
    found = wait_quantiles(org, now=NOON + timedelta(minutes=1))
    assert (found.n, round(found.p50 or 0, 2), round(found.p95 or 0, 2)) == (30, 0.23, 3.06)
    assert wait_quantiles(org, "team", hours=1, now=NOON).n == 20
    both = wait_quantiles_of(org, ["team", "nobody"], now=NOON)
    assert {name: each.n for name, each in both.items()} == {"team": 30, "nobody": 0}


def test_the_state_of_a_week_ago(org: Organization, record: Record) -> None:
    week_ago = NOON - timedelta(days=7)
    record(week_ago, 1000)
    Tally.objects.create(
        org=org, kind="org", name="", start=week_ago - timedelta(hours=20),
        what="rejected", bucket=-1, count=4,
    )  # fmt: skip
    roll_up(NOON)
    found = counts_at(org, week_ago + timedelta(minutes=7))
    assert (found.running, found.pending, found.rejected) == (1, 0, 4)
    assert counts_at(org, NOON).running is None


def test_an_organization_without_data_is_due_once_a_day(org: Organization) -> None:
    sample_orgs(NOON)
    sample_org(org.pk, NOON)
    assert due_for_rolling(NOON) == [org.pk]
    roll_up(NOON)
    roll_up(NOON + timedelta(hours=2))
    assert due_for_rolling(NOON + timedelta(hours=3)) == []
    tomorrow = NOON + timedelta(hours=14)
    assert due_for_rolling(tomorrow) == [org.pk]
    roll_up(tomorrow)
    assert due_for_rolling(tomorrow) == []
    assert SampledDay.objects.get().minutes == 1
    (day,) = series_of(org, TEAM, NOON, NOON, Step.DAY).readings
    assert day.totals == Totals(minutes=1)
