"""What panels of a usage page are made of: the finished value, its legend, and common shapes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from console.engine.model.amounts import SCALE
from console.pages.presenters.charts.chart import Drawing, Line, Piece, Shape, step_of
from console.pages.presenters.charts.frame import Frame, Tick
from console.pages.presenters.usage.points import Column, Point


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One entry of a legend."""

    part: str
    title: str
    is_area: bool = False
    pattern: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One chart, finished, with the columns of its table and its file."""

    key: str
    title: str
    #: The text for screen readers.
    sentence: str
    frame: Frame
    lines: tuple[Line, ...]
    ticks: tuple[Tick, ...]
    shapes: tuple[Shape, ...]
    legend: tuple[Key, ...]
    columns: tuple[Column, ...]
    note: str = ""


def drawing_of(
    frame: Frame, most: float, steps: Iterator[float], least: float = SCALE
) -> tuple[Drawing, float]:
    """Return a drawing from 0 to above *most*, and what its axis goes in."""
    reach = max(most, 0) or least
    step = step_of(reach, steps)
    return Drawing(frame, 0, -(-reach // step) * step), step


def stack(
    points: Iterable[Point], lower: Callable[[Point], float], upper: Callable[[Point], float]
) -> Iterator[Piece]:
    """Yield what lies between two edges, where there is anything."""
    for point in points:
        low, high = lower(point), upper(point)
        if high > low:
            yield Piece(point.start, point.end, high, low)


def edge(points: Iterable[Point], upper: Callable[[Point], float]) -> Iterator[Piece]:
    """Yield the upper edge of all of *points*."""
    return (Piece(point.start, point.end, upper(point)) for point in points)


def drawn(parts: Iterable[Key], drawing: Drawing) -> tuple[Key, ...]:
    """Return the legend of what is there."""
    found = {shape.part for shape in drawing.shapes}
    return tuple(part for part in parts if part.part in found)


def levels(
    points: Sequence[Point], mean: Callable[[Point], float], text: Callable[[float], str]
) -> str:
    """Return the least, the most and the last mean of *points* in words."""
    if not points:
        return "no data"
    means = [mean(point) for point in points]
    return f"{text(min(means))} to {text(max(means))}, last {text(means[-1])}"
