"""Peaks: the most that was used lately, which is what use without a limit is measured by."""

from __future__ import annotations

from datetime import datetime, timedelta

from console.engine.model.amounts import FlavorResource
from console.orgs.models import Organization
from console.series.models import Step
from console.series.queries.use import series_of
from console.series.subjects import Subject
from console.series.totals import merge

#: How far back a peak is looked for.
_WEEK = timedelta(days=7)


def peaks_of(org: Organization, subject: Subject, now: datetime) -> dict[FlavorResource, int]:
    """Return the most that *subject* used of each flavor-resource in the seven days to *now*."""
    series = series_of(org, subject, now - _WEEK, now, Step.HOUR)
    totals = merge(reading.totals for reading in series.readings)
    return {key: cell.used.peak for key, cell in totals.cells.items() if cell.used.peak}
