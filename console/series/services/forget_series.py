"""Forget what is older than the settings say, a few rows at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import QuerySet

from console.series.coverage import floor_day, floor_hour
from console.series.models import (
    QuotaLine,
    SampledDay,
    SampledHour,
    Sampler,
    SeriesPoint,
    Step,
    Tally,
)
from console.series.services.roll_up import claimed

#: Rows of one statement, so that other writers need not wait long, and of one pass.
_ROWS = 1000
MOST_ROWS = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """How many days minutes, hours and days are kept."""

    minutes: int
    hours: int
    days: int

    @classmethod
    def configured(cls) -> Kept:
        """Return what the settings say."""
        return cls(
            minutes=settings.MINUTE_RETENTION_DAYS,
            hours=settings.HOUR_RETENTION_DAYS,
            days=settings.DAY_RETENTION_DAYS,
        )

    def since(self, step: Step, now: datetime) -> datetime:
        """Return the first edge of UTC from which on rows of *step* are kept."""
        if step is Step.MINUTE:
            return floor_hour(now - timedelta(days=self.minutes))
        return floor_day(now - timedelta(days=self.hours if step is Step.HOUR else self.days))


def forget_series(now: datetime, kept: Kept | None = None) -> int:
    """
    Delete what is older than *kept*; return how many rows.

    Minutes that are not rolled up stay. Only one pass runs at a time; one that comes
    upon too much leaves the rest to the next.
    """
    with claimed(now) as row:
        if row is None or row.until is None:
            return 0
        forgotten = 0
        for old in _old(row.until, now, kept or Kept.configured()):
            forgotten += _forget(old, MOST_ROWS - forgotten)
        return forgotten


def _old(final: datetime, now: datetime, kept: Kept) -> Iterator[QuerySet[Any]]:
    """Yield the rows that may go; from *final* on minutes are not rolled up."""
    minutes, hours, days = (kept.since(step, now) for step in Step)
    for org_id in Sampler.objects.order_by("pk").values_list("pk", flat=True):
        for model in (SeriesPoint, Tally):
            rows = model.objects.filter(org_id=org_id)
            yield rows.filter(step=Step.MINUTE.value, start__lt=min(minutes, final))
            yield rows.filter(step=Step.HOUR.value, start__lt=min(hours, floor_day(final)))
            yield rows.filter(step=Step.DAY.value, start__lt=days)
        yield SampledHour.objects.filter(org_id=org_id, start__lt=min(hours, floor_day(final)))
        yield SampledDay.objects.filter(org_id=org_id, start__lt=days)
        yield QuotaLine.objects.filter(org_id=org_id, until__lt=days)


def _forget(old: QuerySet[Any], most: int) -> int:
    forgotten = 0
    while forgotten < most:
        keys = list(old.values_list("pk", flat=True)[:_ROWS])
        old.model.objects.filter(pk__in=keys).delete()
        forgotten += len(keys)
        if len(keys) < _ROWS:
            break
    return forgotten
