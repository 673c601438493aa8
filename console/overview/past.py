"""
The past that the overview shows: between two samples it does not change, so it is read once.

That is once in a minute for each process, however many look at an organization.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Final

from console.orgs.models import Organization
from console.series.coverage import HOUR, floor_minute
from console.series.models import Step
from console.series.queries import (
    CountsAt,
    Series,
    Sparks,
    counts_at,
    sampled_since,
    sampled_until,
    series_of,
    spark_of_all,
)
from console.series.subjects import EVERYTHING

WEEK: Final = timedelta(days=7)
DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """What an organization was like before now."""

    week_ago: CountsAt
    #: Its last day by the hour, or its last hour by the minute while there is little more.
    series: Series
    #: The courses of what ran and waited.
    running: Sparks
    pending: Sparks
    #: When counting began; None before the first sample.
    begun: datetime | None


def past_of(org: Organization, now: datetime) -> Past:
    """Return the past of *org* as of the last sample."""
    sampled = sampled_until(org)
    minute = floor_minute(now)
    # Without a sample there is next to nothing to read.
    return _read(org, minute) if sampled is None else _kept(org, org.created_at, sampled, minute)


@lru_cache(maxsize=64)
def _kept(org: Organization, begun: datetime, sampled: datetime, minute: datetime) -> Past:
    """Return what `_read` does; with *begun*, for a restored database may give a key away again."""
    return _read(org, minute)


def _read(org: Organization, minute: datetime) -> Past:
    running = spark_of_all(org, "running_peak", now=minute)
    is_young = running.step is Step.MINUTE
    return Past(
        week_ago=counts_at(org, minute - WEEK),
        series=series_of(
            org,
            EVERYTHING,
            minute - (HOUR if is_young else DAY),
            minute,
            Step.MINUTE if is_young else Step.HOUR,
        ),
        running=running,
        pending=spark_of_all(org, "pending_peak", now=minute),
        begun=sampled_since(org),
    )
