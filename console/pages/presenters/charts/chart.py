"""
Geometry of time series charts: SVG paths and grid lines.

A value is valid for its whole step, so lines are step functions. Nothing is drawn in a gap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, NamedTuple

from console.pages.presenters.charts.frame import Frame, Tick, svg_number

HEIGHT: Final = 100

#: Maximum number of horizontal grid lines.
_MOST_LINES: Final = 5


class Piece(NamedTuple):
    """A constant part of a series from *begin* to *end*; areas reach from *lower* to *upper*."""

    begin: datetime
    end: datetime
    upper: float
    lower: float = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A path; *part* names the series and *pattern* an additional fill pattern."""

    part: str
    path: str
    is_area: bool
    pattern: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """A horizontal grid line, in units of the drawing."""

    y: str
    is_zero: bool


@dataclass(slots=True)
class Drawing:
    """Collects shapes with one vertical scale from *low* to *high*."""

    frame: Frame
    low: float
    high: float
    shapes: list[Shape] = field(default_factory=list)

    def area(self, part: str, pieces: Iterable[Piece], pattern: str = "") -> None:
        """Add the area between the lower and the upper edges of *pieces*."""
        self._add(part, pieces, self._around, pattern, is_area=True)

    def line(self, part: str, pieces: Iterable[Piece]) -> None:
        """Add the upper edge of *pieces*."""
        self._add(part, pieces, self._along, "", is_area=False)

    def y(self, value: float) -> float:
        """Return the distance of *value* from the top, in units of the drawing."""
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
        first = f"M{svg_number(self.frame.x(run[0].begin))} {svg_number(self.y(run[0].upper))}"
        return first + self._steps(run, lambda piece: piece.upper)

    def _around(self, run: Sequence[Piece]) -> str:
        """Return the closed path along the upper edge and back along the lower edge."""
        begin = svg_number(self.frame.x(run[0].begin))
        back = "".join(
            f"V{svg_number(self.y(piece.lower))}H{svg_number(self.frame.x(piece.begin))}"
            for piece in reversed(_merged(run, lambda piece: piece.lower))
        )
        upper = self._steps(run, lambda piece: piece.upper)
        return f"M{begin} {svg_number(self.y(run[0].upper))}{upper}{back}Z"

    def _steps(self, run: Sequence[Piece], value: Callable[[Piece], float]) -> str:
        merged = _merged(run, value)
        return f"H{svg_number(self.frame.x(merged[0].end))}" + "".join(
            f"V{svg_number(self.y(value(piece)))}H{svg_number(self.frame.x(piece.end))}"
            for piece in merged[1:]
        )


def lines_of(
    drawing: Drawing, step: float, text: Callable[[float], str]
) -> tuple[tuple[Line, ...], tuple[Tick, ...]]:
    """Return grid lines at every multiple of *step*, and their labels."""
    lines, ticks = [], []
    value = -(-drawing.low // step) * step
    while value <= drawing.high:
        y = drawing.y(value)
        lines.append(Line(svg_number(y), value == 0 and drawing.low < 0))
        ticks.append(Tick(f"{svg_number(y)}%", text(abs(value)), "start"))
        value += step
    return tuple(lines), tuple(ticks)


def step_of(reach: float, steps: Iterable[float]) -> float:
    """Return the smallest of *steps*, in ascending order, that needs few lines for *reach*."""
    found = 1.0
    for found in steps:
        if reach / found <= _MOST_LINES:
            break
    return found


def _runs(pieces: Iterable[Piece]) -> Iterator[list[Piece]]:
    """Yield runs of *pieces* without gaps between them."""
    run: list[Piece] = []
    for piece in pieces:
        if run and run[-1].end != piece.begin:
            yield run
            run = []
        run.append(piece)
    if run:
        yield run


def _merged(run: Sequence[Piece], value: Callable[[Piece], float]) -> list[Piece]:
    """Return *run* with adjacent pieces of equal value merged, so that paths are short."""
    merged: list[Piece] = []
    for piece in run:
        if merged and value(merged[-1]) == value(piece):
            merged[-1] = merged[-1]._replace(end=piece.end)
        else:
            merged.append(piece)
    return merged
