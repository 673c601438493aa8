"""Retention: how long minutes, hours and days are kept."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.conf import settings

from console.series.coverage import floor_day, floor_hour
from console.series.models import Step

#: Days that rows wait for the rest of their partition: as long as that is, and one more.
MINUTES_PATIENCE: Final = 2
HOURS_PATIENCE: Final = 11


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

    @classmethod
    def by_row(cls) -> Kept:
        """Return after how many days rows are deleted that did not go with their partition."""
        found = cls.configured()
        if not settings.PARTITION_ROWS:
            return found
        return cls(
            minutes=found.minutes + MINUTES_PATIENCE,
            hours=found.hours + HOURS_PATIENCE,
            days=found.days,
        )

    def since(self, step: Step, now: datetime) -> datetime:
        """Return the first edge of UTC from which on rows of *step* are kept."""
        if step is Step.MINUTE:
            return floor_hour(now - timedelta(days=self.minutes))
        return floor_day(now - timedelta(days=self.hours if step is Step.HOUR else self.days))
