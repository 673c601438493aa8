"""The peak usage of a week, the scale for usage without a limit."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from console.orgs.models import Organization
from console.series.models import SampledHour, Step
from console.series.queries import peaks_of
from console.series.stored import point_of
from console.series.subjects import Subject
from console.series.totals import Cell, Level, Totals

NOON = datetime(2026, 3, 14, 12, tzinfo=UTC)
TEAM = Subject.queue("team")


def sampled(org: Organization, at: datetime, **used: int) -> None:
    """Sample one minute with the given GPU usage of the queue by flavor."""
    SampledHour.objects.create(org=org, start=at.replace(minute=0), minutes=1 << at.minute)
    cells = {(flavor, "gpu"): Cell(used=Level.of(amount)) for flavor, amount in used.items()}
    point_of(org.pk, TEAM, Step.MINUTE, at, Totals(minutes=1, cells=cells)).save()


def test_the_most_of_seven_days_is_found_for_each_flavor(
    org: Organization, other_org: Organization
) -> None:
    sampled(org, NOON - timedelta(days=8), spot=99_000)
    sampled(org, NOON - timedelta(days=6), spot=7_000, reserved=1_000)
    sampled(org, NOON - timedelta(days=2), spot=3_000, reserved=4_000)
    assert peaks_of(org, TEAM, NOON) == {("spot", "gpu"): 7_000, ("reserved", "gpu"): 4_000}
    assert peaks_of(org, Subject.queue("another"), NOON) == {}
    assert peaks_of(other_org, TEAM, NOON) == {}
