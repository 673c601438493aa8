"""Event counts in equal intervals: each event once, in intervals that match the stored series."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from console.engine.disciplines.quota.spec import quota_policy
from console.orgs.models import Organization
from console.series.event_counts import event_counts
from console.series.tallies import tally
from console.workloads.transitions import Transition, TransitionKind

NOW = datetime(2026, 3, 10, 15, 7, 30, tzinfo=UTC)
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


@pytest.fixture
def counted(org: Organization) -> Organization:
    """Count three admissions of one queue in three hours, and a rejection without a queue."""
    policy = quota_policy("native")
    for hours in (0, 1, 2):
        moment = NOW - HOUR * hours
        tally(org.pk, moment, [Transition(TransitionKind.ADMITTED, "a", 1.0)], policy).run()
    tally(org.pk, NOW - MINUTE, [Transition(TransitionKind.REJECTED, None)], policy).run()
    return org


@pytest.mark.parametrize(
    ("length", "width", "parts"),
    [
        (MINUTE * 20, MINUTE, 21),
        (HOUR, MINUTE * 5, 13),
        (HOUR * 8, MINUTE * 15, 33),
        (DAY, HOUR, 25),
        (DAY * 4, HOUR * 3, 33),
        (DAY * 30, DAY, 31),
    ],
)
def test_a_time_is_cut_into_parts_that_can_be_told_apart(
    counted: Organization, length: timedelta, width: timedelta, parts: int
) -> None:
    found = event_counts(counted, None, NOW - length, None, NOW)
    assert len(found) == parts
    assert {part.end - part.start for part in found} == {width}
    assert found[0].start <= NOW - length < found[0].end
    assert found[-1].start <= NOW < found[-1].end
    inside = [hours for hours in (0, 1, 2) if HOUR * hours <= length]
    assert sum(part.counts.get("admitted", 0) for part in found) == len(inside)
    assert sum(part.counts.get("rejected", 0) for part in found) == 1


def test_a_queue_has_its_own_and_a_day_is_what_is_not_asked_for(counted: Organization) -> None:
    found = event_counts(counted, "a", None, None, NOW)
    assert [dict(part.counts) for part in found if part.counts] == [{"admitted": 1}] * 3
    assert len(found) == 25
    assert not any(part.counts for part in event_counts(counted, "b", None, None, NOW))


def test_times_without_minutes_are_read_in_wider_intervals(counted: Organization, settings) -> None:
    settings.MINUTE_RETENTION_DAYS, settings.HOUR_RETENTION_DAYS = 2, 10
    for ago, width in ((DAY, MINUTE * 5), (DAY * 5, HOUR), (DAY * 20, DAY)):
        found = event_counts(counted, None, NOW - ago, NOW - ago + HOUR, NOW)
        assert {part.end - part.start for part in found} == {width}


def test_a_time_without_a_length_has_no_parts(counted: Organization) -> None:
    assert event_counts(counted, None, NOW + DAY, None, NOW) == ()
    assert event_counts(counted, None, NOW, NOW - HOUR, NOW) == ()
