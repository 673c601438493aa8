"""Delete expired rows of series, a few at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from console.retention.models import Kind
from console.retention.record_deletions import record_deletions
from console.retention.write_pauses import pause_after
from console.series.coverage import floor_day
from console.series.models import (
    QuotaLine,
    SampledDay,
    SampledHour,
    Sampler,
    SeriesPoint,
    Step,
    Tally,
)
from console.series.retention import RetentionPeriods
from console.series.services.roll_up import roll_up_lock

#: Maximum number of rows of one statement, so that other writers do not wait long, and of one pass.
_ROWS = 1000
MOST_ROWS = 200_000


def forget_series(now: datetime, kept: RetentionPeriods | None = None) -> int:
    """
    Delete rows older than *kept*; return their number.

    Minutes that are not rolled up stay. An organization that is being rolled up is left for the
    next pass, as are rows beyond the maximum.
    """
    forgotten = {kind: Counter[int]() for kind in (Kind.MINUTES, Kind.HOURS, Kind.DAYS)}
    left = MOST_ROWS
    for org_id in Sampler.objects.order_by("pk").values_list("pk", flat=True):
        with roll_up_lock(org_id, now) as sampler:
            if sampler is None or sampler.rolled_until is None:
                continue
            for kind, old in _old(
                sampler, sampler.rolled_until, now, kept or RetentionPeriods.by_row()
            ):
                count = _forget(old, left)
                left -= count
                forgotten[kind][org_id] += count
    return sum(record_deletions(kind, by_org) for kind, by_org in forgotten.items())


def _old(
    sampler: Sampler, final: datetime, now: datetime, kept: RetentionPeriods
) -> Iterator[tuple[Kind, QuerySet[Any]]]:
    """Yield the expired rows with their kind; from *final* on, no rows are rolled up."""
    minutes, hours, days = (kept.since(step, now) for step in Step)
    org = sampler.org_id
    points = SeriesPoint.objects.filter(org=org)
    yield Kind.MINUTES, points.filter(step=Step.MINUTE.value, start__lt=min(minutes, final))
    of_hours = min(hours, floor_day(final))
    yield Kind.HOURS, points.filter(step=Step.HOUR.value, start__lt=of_hours)
    yield Kind.DAYS, points.filter(step=Step.DAY.value, start__lt=days)
    yield Kind.MINUTES, Tally.objects.filter(org=org, start__lt=min(minutes, final))
    yield Kind.HOURS, SampledHour.objects.filter(org=org, start__lt=of_hours)
    yield Kind.DAYS, SampledDay.objects.filter(org=org, start__lt=days)
    yield Kind.DAYS, QuotaLine.objects.filter(org=org, until__lt=days)


def _forget(old: QuerySet[Any], most: int) -> int:
    forgotten = 0
    while forgotten < most:
        with pause_after():
            keys = list(old.values_list("pk", flat=True)[:_ROWS])
            old.model.objects.filter(pk__in=keys).delete()
        forgotten += len(keys)
        if len(keys) < _ROWS:
            break
    return forgotten
