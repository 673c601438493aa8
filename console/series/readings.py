"""Readings: rows and coverage of a time put together, so that a gap stays a gap."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Final, TypeVar

from console.series.coverage import (
    DAY,
    HOUR,
    MINUTE,
    between,
    floor_day,
    floor_hour,
    floor_minute,
    is_sampled,
)
from console.series.models import Step
from console.series.totals import AT_ZERO, NOTHING, Totals, merge

T = TypeVar("T")

#: How long one reading is, by step, and when the one around a moment began.
LENGTH: Final[Mapping[Step, timedelta]] = {Step.MINUTE: MINUTE, Step.HOUR: HOUR, Step.DAY: DAY}
FLOOR: Final[Mapping[Step, Callable[[datetime], datetime]]] = {
    Step.MINUTE: floor_minute,
    Step.HOUR: floor_hour,
    Step.DAY: floor_day,
}


@dataclass(frozen=True, slots=True)
class Reading:
    """What a subject used and wanted from *start*; *totals* without minutes is a gap."""

    start: datetime
    totals: Totals

    @property
    def is_gap(self) -> bool:
        """Whether nobody looked."""
        return not self.totals.minutes


def edges(step: Step, since: datetime, until: datetime) -> Iterator[datetime]:
    """Yield when each reading from *since* to *until* begins, the one around *since* first."""
    moment = FLOOR[step](since)
    while moment < until:
        yield moment
        moment += LENGTH[step]


def minutes_of(
    rows: Iterable[tuple[datetime, T]],
    hours: Mapping[datetime, int],
    since: datetime,
    until: datetime,
    nothing: T,
) -> Iterator[tuple[datetime, T | None]]:
    """
    Yield what each minute saw; None where nobody looked.

    *rows* are those of one subject in order, from the beginning of the hour of *since*.
    Each holds until the next one in its hour, in the minutes that were sampled; before
    the first there is *nothing*.
    """
    found = dict(rows)
    present = nothing
    for minute in edges(Step.MINUTE, floor_hour(since), until):
        if not minute.minute:
            present = nothing
        present = found.get(minute, present)
        if minute >= since:
            yield minute, present if is_sampled(hours, minute) else None


def minute_readings(
    rows: Iterable[tuple[datetime, Totals]],
    hours: Mapping[datetime, int],
    since: datetime,
    until: datetime,
) -> list[Reading]:
    """Return a reading for each minute, as `minutes_of` has them."""
    return [
        Reading(minute, NOTHING if totals is None else totals)
        for minute, totals in minutes_of(rows, hours, since, until, AT_ZERO)
    ]


def hour_totals(rows: Sequence[tuple[datetime, Totals]], minutes: int) -> Totals:
    """Return the totals of an hour from its rows in order and the *minutes* that were sampled."""
    starts = [start.minute for start, _ in rows] + [60]
    parts = [Totals(minutes=between(minutes, 0, starts[0]))]
    for (_, totals), (first, end) in zip(rows, pairwise(starts), strict=True):
        parts.append(totals.times(between(minutes, first, end)))
    return merge(parts)


def folded(
    readings: Iterable[Reading], step: Step, since: datetime, until: datetime
) -> list[Reading]:
    """Return finer *readings* as readings of *step*."""
    parts: dict[datetime, list[Totals]] = {start: [] for start in edges(step, since, until)}
    for reading in readings:
        parts[FLOOR[step](reading.start)].append(reading.totals)
    return [Reading(start, merge(of_start)) for start, of_start in parts.items()]
