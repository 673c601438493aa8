"""Readings: values of a series per minute, hour or day, with gaps where nothing was sampled."""

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

#: Length of a reading by step, and the start of the reading around a moment.
LENGTH: Final[Mapping[Step, timedelta]] = {Step.MINUTE: MINUTE, Step.HOUR: HOUR, Step.DAY: DAY}
FLOOR: Final[Mapping[Step, Callable[[datetime], datetime]]] = {
    Step.MINUTE: floor_minute,
    Step.HOUR: floor_hour,
    Step.DAY: floor_day,
}


@dataclass(frozen=True, slots=True)
class Reading:
    """Use and demand of a subject from *start*; *totals* without minutes are a gap."""

    start: datetime
    totals: Totals

    @property
    def is_gap(self) -> bool:
        """Whether it is a gap."""
        return not self.totals.minutes


def edges(step: Step, since: datetime, until: datetime) -> Iterator[datetime]:
    """Yield the start of each reading from *since* to *until*, the one around *since* first."""
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
    Yield the sample of each minute; None in a gap.

    *rows* are those of one subject in order, from the start of the hour of *since*. Each is valid
    until the next one in its hour, in the sampled minutes; before the first row the value is
    *nothing*.
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
    """Return a reading for each minute of `minutes_of`."""
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


def coarser_readings(
    readings: Iterable[Reading], step: Step, since: datetime, until: datetime
) -> list[Reading]:
    """Return finer *readings* as readings of *step*."""
    parts: dict[datetime, list[Totals]] = {start: [] for start in edges(step, since, until)}
    for reading in readings:
        parts[FLOOR[step](reading.start)].append(reading.totals)
    return [Reading(start, merge(of_start)) for start, of_start in parts.items()]
