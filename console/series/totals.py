"""
Totals: use and demand of a subject over some minutes, as sums and peaks that can be merged.

The sum over minutes divided by their number is the mean, and the largest value is the peak. Sums
are added and peaks are maximized, so merging is independent of order and grouping.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from console.engine.model.amounts import FlavorResource


class Level(NamedTuple):
    """Sum and peak of a number over some minutes; amounts are in thousandths."""

    total: int = 0
    peak: int = 0

    @classmethod
    def of(cls, value: int) -> Level:
        """Return the level of *value* in one minute."""
        return cls(value, value)

    def merged(self, other: Level) -> Level:
        """Return the level over the minutes of both."""
        return Level(self.total + other.total, max(self.peak, other.peak))

    def times(self, minutes: int) -> Level:
        """Return the level of one minute, repeated for *minutes*."""
        return Level(self.total * minutes, self.peak)

    @classmethod
    def merge(cls, levels: Iterable[Level]) -> Level:
        """Return the level over the minutes of all *levels*."""
        totals, peaks = 0, 0
        for total, peak in levels:
            totals += total
            peaks = max(peaks, peak)
        return cls(totals, peaks)

    def mean(self, minutes: int) -> float:
        """Return the mean over *minutes*, at least one."""
        return self.total / minutes


ZERO = Level()


class Cell(NamedTuple):
    """Used, borrowed, over and lent quota of one flavor-resource."""

    used: Level = ZERO
    borrowed: Level = ZERO
    over: Level = ZERO
    lent: Level = ZERO

    def merged(self, other: Cell) -> Cell:
        """Return the cell over the minutes of both."""
        return Cell(*(mine.merged(theirs) for mine, theirs in zip(self, other, strict=True)))

    def times(self, minutes: int) -> Cell:
        """Return the cell of one minute, repeated for *minutes*."""
        return Cell(*(level.times(minutes) for level in self))


#: A cell without use and loans.
UNUSED = Cell()


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """Use and demand of a subject over some minutes."""

    minutes: int = 0
    running: Level = ZERO
    pending: Level = ZERO
    cells: Mapping[FlavorResource, Cell] = field(default_factory=dict)
    #: Requests of pending workloads that can run, by resource.
    demand: Mapping[str, Level] = field(default_factory=dict)
    #: Requests of pending workloads that cannot run under the config active at that time.
    cannot_run_demand: Mapping[str, Level] = field(default_factory=dict)
    #: Highest use of any nominal quota, in thousandths of it.
    tightest: int = 0

    @property
    def is_zero(self) -> bool:
        """Whether all values are zero."""
        counts = self.running.peak or self.pending.peak
        return not (counts or self.cells or self.demand or self.cannot_run_demand)

    def merged(self, other: Totals) -> Totals:
        """Return the totals over the minutes of both, in any order."""
        cells = dict(self.cells)
        for key, cell in other.cells.items():
            cells[key] = cells[key].merged(cell) if key in cells else cell
        return Totals(
            minutes=self.minutes + other.minutes,
            running=self.running.merged(other.running),
            pending=self.pending.merged(other.pending),
            cells=cells,
            demand=_merged(self.demand, other.demand),
            cannot_run_demand=_merged(self.cannot_run_demand, other.cannot_run_demand),
            tightest=max(self.tightest, other.tightest),
        )

    def times(self, minutes: int) -> Totals:
        """Return the totals of one minute, repeated for *minutes*."""
        return Totals(
            minutes=minutes,
            running=self.running.times(minutes),
            pending=self.pending.times(minutes),
            cells={key: cell.times(minutes) for key, cell in self.cells.items()},
            demand=_times(self.demand, minutes),
            cannot_run_demand=_times(self.cannot_run_demand, minutes),
            tightest=self.tightest,
        )


def _merged(mine: Mapping[str, Level], theirs: Mapping[str, Level]) -> dict[str, Level]:
    both = dict(mine)
    for resource, level in theirs.items():
        both[resource] = both.get(resource, ZERO).merged(level)
    return both


def _times(levels: Mapping[str, Level], minutes: int) -> dict[str, Level]:
    return {resource: level.times(minutes) for resource, level in levels.items()}


NOTHING = Totals()

#: One minute with zeros only.
AT_ZERO = Totals(minutes=1)


def merge(parts: Iterable[Totals]) -> Totals:
    """Return the totals over the minutes of all *parts*."""
    found = NOTHING
    for part in parts:
        found = found.merged(part)
    return found


def encode_cells(cells: Mapping[FlavorResource, Cell]) -> list[list[Any]]:
    """Return cells in stored form: [flavor, resource, sum and peak of each level]."""
    return [
        [flavor, resource, *(number for level in cell for number in level)]
        for (flavor, resource), cell in sorted(cells.items())
    ]


class StoredCells(Mapping[FlavorResource, Cell]):
    """
    Lazy mapping of stored cells from `encode_cells`.

    A month has thousands of cells, and a page reads few of them.
    """

    __slots__ = ("_numbers",)

    def __init__(self, stored: Iterable[list[Any]]) -> None:
        self._numbers = {(each[0], each[1]): each for each in stored}

    def __getitem__(self, key: FlavorResource) -> Cell:
        """Return one cell; raises KeyError."""
        _, _, a, b, c, d, e, f, g, h = self._numbers[key]
        return Cell(Level(a, b), Level(c, d), Level(e, f), Level(g, h))

    def __contains__(self, key: object) -> bool:
        return key in self._numbers

    def __iter__(self) -> Iterator[FlavorResource]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)


def encode_demand(demand: Mapping[str, Level]) -> dict[str, list[int]]:
    """Return demand in stored form: [sum, peak] by resource."""
    return {resource: list(level) for resource, level in sorted(demand.items())}


def decode_demand(stored: Mapping[str, list[int]]) -> dict[str, Level]:
    """Return the demand of *stored*, a result of `encode_demand`."""
    return {resource: Level(*numbers) for resource, numbers in stored.items()}
