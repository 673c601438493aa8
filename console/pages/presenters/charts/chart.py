"""
Charts: the geometry of time series as paths and lines, finished for an SVG.

Every value holds for all of its step, so lines go in steps, and a gap is where nothing
is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, NamedTuple

from console.pages.presenters.charts.frame import Frame, Tick, unit

HEIGHT: Final = 100

#: Lines across the drawing at most.
_MOST_LINES: Final = 5


class Piece(NamedTuple):
    """What is drawn from one moment to another: up to *upper*, an area from *lower*."""

    begin: datetime
    end: datetime
    upper: float
    lower: float = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A path; *part* says what it is, and *pattern* what it is filled with besides."""

    part: str
    path: str
    is_area: bool
    pattern: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """A line across the drawing, in its units."""

    y: str
    is_zero: bool


@dataclass(slots=True)
class Drawing:
    """Collects shapes on one scale from *low* to *high*."""

    frame: Frame
    low: float
    high: float
    shapes: list[Shape] = field(default_factory=list)

    def area(self, part: str, pieces: Iterable[Piece], pattern: str = "") -> None:
        """Add what lies between the lower and the upper edge of *pieces*."""
        self._add(part, pieces, self._around, pattern, is_area=True)

    def line(self, part: str, pieces: Iterable[Piece]) -> None:
        """Add the upper edge of *pieces*."""
        self._add(part, pieces, self._along, "", is_area=False)

    def y(self, value: float) -> float:
        """Return how deep *value* is, in units of the drawing."""
        reach = self.high - self.low
        part = (self.high - value) / reach if reach else 1.0
        return min(1.0, max(0.0, part)) * HEIGHT

    def _add(
        self,
        part: str,
        pieces: Iterable[Piece],
        path_of: Callable[[Sequence[Piece]], str],
        pattern: str,
        *,
        is_area: bool,
    ) -> None:
        path = "".join(path_of(run) for run in _runs(pieces))
        if path:
            self.shapes.append(Shape(part=part, path=path, is_area=is_area, pattern=pattern))

    def _along(self, run: Sequence[Piece]) -> str:
        first = f"M{unit(self.frame.x(run[0].begin))} {unit(self.y(run[0].upper))}"
        return first + self._steps(run, lambda piece: piece.upper)

    def _around(self, run: Sequence[Piece]) -> str:
        """Return the way along the upper edge and back along the lower one."""
        begin = unit(self.frame.x(run[0].begin))
        back = "".join(
            f"V{unit(self.y(piece.lower))}H{unit(self.frame.x(piece.begin))}"
            for piece in reversed(_joined(run, lambda piece: piece.lower))
        )
        upper = self._steps(run, lambda piece: piece.upper)
        return f"M{begin} {unit(self.y(run[0].upper))}{upper}{back}Z"

    def _steps(self, run: Sequence[Piece], value: Callable[[Piece], float]) -> str:
        joined = _joined(run, value)
        return f"H{unit(self.frame.x(joined[0].end))}" + "".join(
            f"V{unit(self.y(value(piece)))}H{unit(self.frame.x(piece.end))}" for piece in joined[1:]
        )


def lines_of(
    drawing: Drawing, step: float, text: Callable[[float], str]
) -> tuple[tuple[Line, ...], tuple[Tick, ...]]:
    """Return lines across at every multiple of *step*, and what they are called."""
    lines, ticks = [], []
    value = -(-drawing.low // step) * step
    while value <= drawing.high:
        y = drawing.y(value)
        lines.append(Line(unit(y), value == 0 and drawing.low < 0))
        ticks.append(Tick(f"{unit(y)}%", text(abs(value)), "start"))
        value += step
    return tuple(lines), tuple(ticks)


def step_of(reach: float, steps: Iterable[float]) -> float:
    """Return the least of *steps*, which rise, that divides *reach* into few parts."""
    found = 1.0
    for found in steps:
        if reach / found <= _MOST_LINES:
            break
    return found


def _runs(pieces: Iterable[Piece]) -> Iterator[list[Piece]]:
    """Yield *pieces* that touch each other together."""
    run: list[Piece] = []
    for piece in pieces:
        if run and run[-1].end != piece.begin:
            yield run
            run = []
        run.append(piece)
    if run:
        yield run


def _joined(run: Sequence[Piece], value: Callable[[Piece], float]) -> list[Piece]:
    """Return *run* with neighbors of one value as one piece, so that paths are short."""
    joined: list[Piece] = []
    for piece in run:
        if joined and value(joined[-1]) == value(piece):
            joined[-1] = joined[-1]._replace(end=piece.end)
        else:
            joined.append(piece)
    return joined
