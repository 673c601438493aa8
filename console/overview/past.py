"""
Past data of the overview, cached until the next sample.

Each process reads the data once a minute for each organization.
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
from console.series.subjects import WHOLE_ORG

WEEK: Final = timedelta(days=7)
DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """Past data of an organization."""

    week_ago: CountsAt
    #: The last day by hours, or the last hour by minutes while there is little data.
    series: Series
    #: Sparklines of running and pending workloads.
    running: Sparks
    pending: Sparks
    #: Start of sampling; None before the first sample.
    begun: datetime | None


def past_of(org: Organization, now: datetime) -> Past:
    """Return the past data of *org* as of the last sample."""
    sampled = sampled_until(org)
    minute = floor_minute(now)
    # Without a sample, the read is cheap.
    return _read(org, minute) if sampled is None else _kept(org, org.created_at, sampled, minute)


@lru_cache(maxsize=64)
def _kept(org: Organization, begun: datetime, sampled: datetime, minute: datetime) -> Past:
    """Return the cached result of `_read`; *begun* is in the key: restored databases reuse ids."""
    return _read(org, minute)


def _read(org: Organization, minute: datetime) -> Past:
    running = spark_of_all(org, "running_peak", now=minute)
    is_young = running.step is Step.MINUTE
    return Past(
        week_ago=counts_at(org, minute - WEEK),
        series=series_of(
            org,
            WHOLE_ORG,
            minute - (HOUR if is_young else DAY),
            minute,
            Step.MINUTE if is_young else Step.HOUR,
        ),
        running=running,
        pending=spark_of_all(org, "pending_peak", now=minute),
        begun=sampled_since(org),
    )
