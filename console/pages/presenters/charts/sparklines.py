"""Sparklines: small charts of the last 24 hours (or hour) in table cells, with a sentence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from console.pages.presenters.charts.chart import Drawing, Piece, Shape
from console.pages.presenters.charts.frame import Frame
from console.series.models import Step
from console.series.queries.sparks import Sparks
from console.series.readings import edges

#: Minimum top of the scale: the whole nominal quota, in thousandths. Borrowing extends the scale.
_WHOLE: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Sparkline:
    """A small chart of one series."""

    shapes: tuple[Shape, ...]
    sentence: str


def used_sparklines(sparks: Sparks) -> dict[str, Sparkline]:
    """Return sparklines of the used part of the nominal quota, by queue, each with its scale."""
    return _sparklines(sparks, "Of the nominal quota", _WHOLE, lambda value: f"{value // 10}%")


def count_sparkline(sparks: Sparks, what: str, name: str = "") -> Sparkline:
    """Return the sparkline of the series *name*, a count of *what*."""
    return _sparklines(sparks, what, 1, str)[name]


def _sparklines(
    sparks: Sparks, what: str, least: int, text: Callable[[int], str]
) -> dict[str, Sparkline]:
    frame = Frame(since=sparks.since, until=sparks.until)
    return {
        name: _sparkline(frame, sparks, course, what, least, text)
        for name, course in sparks.courses.items()
    }


def _sparkline(
    frame: Frame,
    sparks: Sparks,
    course: tuple[int | None, ...],
    what: str,
    least: int,
    text: Callable[[int], str],
) -> Sparkline:
    starts = [*edges(sparks.step, sparks.since, sparks.until), sparks.until]
    pieces = [
        Piece(starts[i], starts[i + 1], value)
        for i, value in enumerate(course)
        if value is not None
    ]
    seen = [value for value in course if value is not None]
    drawing = Drawing(frame, 0, max(least, *seen) if seen else least)
    drawing.area("own", (piece for piece in pieces if piece.upper))
    drawing.line("peak", pieces)
    span = "last 24 hours" if sparks.step is Step.HOUR else "last hour"
    words = f"peak {text(max(seen))}, last {text(seen[-1])}" if seen else "no data yet"
    return Sparkline(shapes=tuple(drawing.shapes), sentence=f"{what}, {span}: {words}")
