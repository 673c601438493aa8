"""Sparklines: small charts of the last 24 hours (or hour) in table cells, with a sentence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from console.pages.presenters.charts.chart import Drawing, Piece, Shape
from console.pages.presenters.charts.frame import Frame
from console.series.models import Step
from console.series.queries.sparks import Sparks
from console.series.readings import edges

#: Minimum top of the scale: the whole nominal quota, in thousandths. Borrowing extends the scale.
_WHOLE: Final = 1000

#: Steps of the time range of an organization that has few samples.
_MINUTES: Final = 60


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
    # All lines of a list start with the first step that has samples of any subject.
    starts = list(edges(sparks.step, sparks.since, sparks.until))
    first = min(map(_leading_gap, sparks.courses.values()), default=0)
    if first == len(starts):
        first = 0
    starts = starts[first:]
    span = _span(sparks.step, len(starts))
    return {
        name: _sparkline([*starts, sparks.until], course[first:], f"{what}, {span}", least, text)
        for name, course in sparks.courses.items()
    }


def _leading_gap(course: tuple[int | None, ...]) -> int:
    return next((i for i, value in enumerate(course) if value is not None), len(course))


def _span(step: Step, steps: int) -> str:
    if step is Step.MINUTE and steps == _MINUTES:
        return "last hour"
    return f"last {step.value}" if steps == 1 else f"last {steps} {step.value}s"


def _sparkline(
    starts: list[datetime],
    course: tuple[int | None, ...],
    what: str,
    least: int,
    text: Callable[[int], str],
) -> Sparkline:
    pieces = [
        Piece(starts[i], starts[i + 1], value)
        for i, value in enumerate(course)
        if value is not None
    ]
    seen = [value for value in course if value is not None]
    drawing = Drawing(
        Frame(since=starts[0], until=starts[-1]), 0, max(least, *seen) if seen else least
    )
    drawing.area("own", (piece for piece in pieces if piece.upper))
    drawing.line("peak", pieces)
    words = f"peak {text(max(seen))}, last {text(seen[-1])}" if seen else "no data yet"
    return Sparkline(shapes=tuple(drawing.shapes), sentence=f"{what}: {words}")
