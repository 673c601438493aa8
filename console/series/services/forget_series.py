"""Forget what is older than the settings say, a few rows at a time."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

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
from console.series.retention import Kept
from console.series.services.roll_up import claimed

#: Rows of one statement, so that other writers need not wait long, and of one pass.
_ROWS = 1000
MOST_ROWS = 200_000


def forget_series(now: datetime, kept: Kept | None = None) -> int:
    """
    Delete what is older than *kept*; return how many rows.

    Minutes that are not rolled up stay. An organization that is being rolled up at
    this moment is left for the next pass, and so is the rest of what is too much.
    """
    forgotten = 0
    for org_id in Sampler.objects.order_by("pk").values_list("pk", flat=True):
        with claimed(org_id, now) as sampler:
            if sampler is None or sampler.rolled_until is None:
                continue
            for old in _old(sampler, sampler.rolled_until, now, kept or Kept.configured()):
                forgotten += _forget(old, MOST_ROWS - forgotten)
    return forgotten


def _old(sampler: Sampler, final: datetime, now: datetime, kept: Kept) -> Iterator[QuerySet[Any]]:
    """Yield the rows that may go; from *final* on minutes are not rolled up."""
    minutes, hours, days = (kept.since(step, now) for step in Step)
    org = sampler.org_id
    points = SeriesPoint.objects.filter(org=org)
    yield points.filter(step=Step.MINUTE.value, start__lt=min(minutes, final))
    yield points.filter(step=Step.HOUR.value, start__lt=min(hours, floor_day(final)))
    yield points.filter(step=Step.DAY.value, start__lt=days)
    yield Tally.objects.filter(org=org, start__lt=min(minutes, final))
    yield SampledHour.objects.filter(org=org, start__lt=min(hours, floor_day(final)))
    yield SampledDay.objects.filter(org=org, start__lt=days)
    yield QuotaLine.objects.filter(org=org, until__lt=days)


def _forget(old: QuerySet[Any], most: int) -> int:
    forgotten = 0
    while forgotten < most:
        keys = list(old.values_list("pk", flat=True)[:_ROWS])
        old.model.objects.filter(pk__in=keys).delete()
        forgotten += len(keys)
        if len(keys) < _ROWS:
            break
    return forgotten
