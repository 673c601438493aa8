"""What happened to workloads in equal parts of a time, from what the worker counted."""

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
from console.series.retention import Kept

#: How wide a part may be, and how many there are at most.
_WIDTHS: Final = (
    *(MINUTE * each for each in (1, 5, 15)),
    *(HOUR * each for each in (1, 3, 6)),
    *(DAY * each for each in (1, 7, 28)),
)
_MOST_PARTS: Final = 48

#: How far back a reader looks who does not say.
_USUAL: Final = timedelta(hours=24)

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Part:
    """How many of each `console.series.models.What` there were from *start* until *end*."""

    start: datetime
    end: datetime
    counts: Mapping[str, int]


def happened(
    org: Organization,
    queue: str | None,
    since: datetime | None,
    until: datetime | None,
    now: datetime,
) -> tuple[Part, ...]:
    """
    Return what happened to the workloads of *queue*, or of all, from *since* until *until*.

    What is not given is a day. Where minutes or hours are not kept any more, parts are wider.
    None are in the future, and a time without any length has none.
    """
    end = min(until or now, now)
    begin = since or end - _USUAL
    kept = Kept.configured()
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


def _width(begin: datetime, end: datetime, kept: Kept, now: datetime) -> timedelta:
    least = MINUTE
    if begin < kept.since(Step.MINUTE, now):
        least = HOUR
    if begin < kept.since(Step.HOUR, now):
        least = DAY
    # One more than would fit, for neither end lies on an edge.
    widths = [width for width in _WIDTHS if width >= least]
    fitting = (width for width in widths if (end - begin) / width <= _MOST_PARTS - 1)
    return next(fitting, widths[-1])
