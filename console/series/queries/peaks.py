"""Peaks: the highest recent use, which is the scale of use without a limit."""

from __future__ import annotations

from datetime import datetime, timedelta

from console.engine.model.amounts import FlavorResource
from console.orgs.models import Organization
from console.series.models import Step
from console.series.queries.use import series_of
from console.series.subjects import Subject
from console.series.totals import merge

#: The time range of a peak.
_WEEK = timedelta(days=7)


def peaks_of(org: Organization, subject: Subject, now: datetime) -> dict[FlavorResource, int]:
    """Return the highest use of *subject* by flavor-resource in the seven days before *now*."""
    series = series_of(org, subject, now - _WEEK, now, Step.HOUR)
    totals = merge(reading.totals for reading in series.readings)
    return {key: cell.used.peak for key, cell in totals.cells.items() if cell.used.peak}
