"""Parts of usage panels: panel, legend, and shared drawing functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from console.engine.model.amounts import SCALE
from console.pages.presenters.charts.chart import Drawing, Line, Piece, Shape, step_of
from console.pages.presenters.charts.frame import Frame, Tick
from console.pages.presenters.usage.points import Column, Point


@dataclass(frozen=True, slots=True, kw_only=True)
class LegendEntry:
    """One entry of a legend."""

    part: str
    title: str
    is_area: bool = False
    pattern: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One chart, with the columns of its table and its file."""

    key: str
    title: str
    #: The text for screen readers.
    sentence: str
    frame: Frame
    lines: tuple[Line, ...]
    ticks: tuple[Tick, ...]
    shapes: tuple[Shape, ...]
    legend: tuple[LegendEntry, ...]
    columns: tuple[Column, ...]
    note: str = ""


def drawing_of(
    frame: Frame, most: float, steps: Iterator[float], least: float = SCALE
) -> tuple[Drawing, float]:
    """Return a drawing with a scale from 0 to at least *most*, and the step of its axis."""
    reach = max(most, 0) or least
    step = step_of(reach, steps)
    return Drawing(frame, 0, -(-reach // step) * step), step


def area_pieces(
    points: Iterable[Point], lower: Callable[[Point], float], upper: Callable[[Point], float]
) -> Iterator[Piece]:
    """Yield the pieces between two edges where the upper one is higher."""
    for point in points:
        low, high = lower(point), upper(point)
        if high > low:
            yield Piece(point.start, point.end, high, low)


def line_pieces(points: Iterable[Point], upper: Callable[[Point], float]) -> Iterator[Piece]:
    """Return the pieces of the upper edge of *points*."""
    return (Piece(point.start, point.end, upper(point)) for point in points)


def legend_of(parts: Iterable[LegendEntry], drawing: Drawing) -> tuple[LegendEntry, ...]:
    """Return those of *parts* that *drawing* contains."""
    found = {shape.part for shape in drawing.shapes}
    return tuple(part for part in parts if part.part in found)


def level_summary(
    points: Sequence[Point], mean: Callable[[Point], float], text: Callable[[float], str]
) -> str:
    """Return the text of the minimum, maximum and last mean of *points*."""
    if not points:
        return "no data"
    means = [mean(point) for point in points]
    return f"{text(min(means))} to {text(max(means))}, last {text(means[-1])}"
