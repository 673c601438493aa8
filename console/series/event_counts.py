"""Counts of events of workloads in equal intervals of a time range."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from console.orgs.models import Organization
from console.series.coverage import DAY, HOUR, MINUTE
from console.series.models import Step
from console.series.queries.counts import counts_series
from console.series.retention import RetentionPeriods

#: Possible lengths of an interval, and the maximum number of intervals.
_WIDTHS: Final = (
    *(MINUTE * each for each in (1, 5, 15)),
    *(HOUR * each for each in (1, 3, 6)),
    *(DAY * each for each in (1, 7, 28)),
)
_MOST_PARTS: Final = 48

#: The default length of the time range.
_USUAL: Final = timedelta(hours=24)

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Part:
    """Counts of each `console.series.models.TransitionKind` from *start* until *end*."""

    start: datetime
    end: datetime
    counts: Mapping[str, int]


def event_counts(
    org: Organization,
    queue: str | None,
    since: datetime | None,
    until: datetime | None,
    now: datetime,
) -> tuple[Part, ...]:
    """
    Return counts of events of workloads of *queue*, or of all, from *since* until *until*.

    The default is one day. Where minutes or hours are deleted, the intervals are longer. None are
    in the future, and an empty time range has none.
    """
    end = min(until or now, now)
    begin = since or end - _USUAL
    kept = RetentionPeriods.configured()
    begin = max(begin, kept.since(Step.DAY, now))
    if begin >= end:
        return ()
    width = _width(begin, end, kept, now)
    first = begin - (begin - _EPOCH) % width
    step = Step.MINUTE if width < HOUR else Step.HOUR if width < DAY else Step.DAY
    found: dict[datetime, Counter[str]] = {}
    while first < end:
        found[first] = Counter()
        first += width
    for moment, counted in counts_series(
        org, queue, since=min(found), until=end, step=step
    ).items():
        found[moment - (moment - _EPOCH) % width].update(counted.counts)
    return tuple(Part(start, start + width, counts) for start, counts in found.items())


def _width(begin: datetime, end: datetime, kept: RetentionPeriods, now: datetime) -> timedelta:
    least = MINUTE
    if begin < kept.since(Step.MINUTE, now):
        least = HOUR
    if begin < kept.since(Step.HOUR, now):
        least = DAY
    # One more, because the ends are not aligned.
    widths = [width for width in _WIDTHS if width >= least]
    fitting = (width for width in widths if (end - begin) / width <= _MOST_PARTS - 1)
    return next(fitting, widths[-1])
