"""Retention: how long minutes, hours and days are kept, and how their tables are partitioned."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from django.conf import settings

from console.retention.models import Kind
from console.retention.partitions.tables import Sampled, Timed, register_sampled
from console.retention.registry import Retention, Rows, count_rows, register
from console.series.coverage import floor_day, floor_hour
from console.series.models import Sampler, SeriesPoint, Step, Tally

#: Days that expired rows wait until their partition is dropped: its length, and one more.
MINUTES_PATIENCE: Final = 2
HOURS_PATIENCE: Final = 11


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionPeriods:
    """Retention periods of the rows of minutes, hours and days, in days."""

    minutes: int
    hours: int
    days: int

    @classmethod
    def configured(cls) -> RetentionPeriods:
        """Return the periods of the settings."""
        return cls(
            minutes=settings.MINUTE_RETENTION_DAYS,
            hours=settings.HOUR_RETENTION_DAYS,
            days=settings.DAY_RETENTION_DAYS,
        )

    @classmethod
    def by_row(cls) -> RetentionPeriods:
        """Return the age in days at which rows outside of dropped partitions are deleted."""
        found = cls.configured()
        if not settings.PARTITION_ROWS:
            return found
        return cls(
            minutes=found.minutes + MINUTES_PATIENCE,
            hours=found.hours + HOURS_PATIENCE,
            days=found.days,
        )

    def since(self, step: Step, now: datetime) -> datetime:
        """Return the start of the retention period of *step*, aligned to UTC."""
        if step is Step.MINUTE:
            return floor_hour(now - timedelta(days=self.minutes))
        return floor_day(now - timedelta(days=self.hours if step is Step.HOUR else self.days))


def _minutes_since(now: datetime) -> datetime:
    return RetentionPeriods.configured().since(Step.MINUTE, now)


def _hours_since(now: datetime) -> datetime:
    return RetentionPeriods.configured().since(Step.HOUR, now)


def _points(org_id: int, step: Step) -> Rows:
    return count_rows(SeriesPoint.objects.filter(org=org_id, step=step.value), "start", "start")


_JOB: Final = "forget series"

register(
    Retention(
        kind=Kind.MINUTES,
        setting="MINUTE_RETENTION_DAYS",
        job=_JOB,
        rows=partial(_points, step=Step.MINUTE),
    ),
    Retention(
        kind=Kind.HOURS,
        setting="HOUR_RETENTION_DAYS",
        job=_JOB,
        rows=partial(_points, step=Step.HOUR),
    ),
    Retention(
        kind=Kind.DAYS,
        setting="DAY_RETENTION_DAYS",
        job=_JOB,
        rows=partial(_points, step=Step.DAY),
    ),
)

_TALLIES: Final = Tally._meta.db_table
_POINTS: Final = SeriesPoint._meta.db_table

#: Rows of organizations that are not rolled up until the end of a partition.
_NOT_ROLLED_UP: Final = (
    f"WHERE NOT EXISTS (SELECT 1 FROM {Sampler._meta.db_table} AS s "  # noqa: S608
    "WHERE s.org_id = p.org_id AND s.rolled_until >= %s)"
)

register_sampled(
    Sampled(
        table=_TALLIES,
        timed=(
            Timed(
                table=_TALLIES,
                kind=Kind.MINUTES,
                length=timedelta(days=1),
                kept_since=_minutes_since,
                kept_rows=_NOT_ROLLED_UP,
            ),
        ),
    ),
    # Each step has its own retention period, so it has its own partitions; days have few rows.
    Sampled(
        table=_POINTS,
        steps=tuple(step.value for step in Step),
        timed=(
            Timed(
                table=f"{_POINTS}_{Step.MINUTE.value}",
                kind=Kind.MINUTES,
                length=timedelta(days=1),
                kept_since=_minutes_since,
                kept_rows=_NOT_ROLLED_UP,
            ),
            Timed(
                table=f"{_POINTS}_{Step.HOUR.value}",
                kind=Kind.HOURS,
                length=timedelta(days=10),
                kept_since=_hours_since,
                kept_rows=_NOT_ROLLED_UP,
            ),
        ),
    ),
)
