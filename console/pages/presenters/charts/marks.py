"""Marks of charts: applied config versions, preemptions and holds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from console.configs.models import ConfigVersion
from console.pages.personal_formats import active_formats
from console.pages.presenters.charts.frame import WIDTH, Box, Frame, percent, svg_number
from console.pages.presenters.usage.points import Point
from console.workloads.queries.holds import Held
from console.workloads.transitions import TransitionKind

#: Minimum distance of two labeled versions, in units of the drawing.
_NEAR: Final = 55


@dataclass(frozen=True, slots=True, kw_only=True)
class Marker:
    """The mark of a config version at the time of its apply."""

    #: Position: in percent of the width for the label, and in units for the line.
    at: str
    x: str
    number: int
    title: str
    #: Whether the label is shown, and whether it stands before the line for lack of space.
    is_named: bool
    is_at_end: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """A time span in which the queue was held."""

    box: Box
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """The marks in every chart of a page."""

    versions: tuple[Marker, ...] = ()
    #: Positions of preemptions in units of the drawing, and the total number of preemptions.
    stops: tuple[str, ...] = ()
    stopped: int = 0
    holds: tuple[Hold, ...] = ()


def marks_of(
    frame: Frame,
    versions: Iterable[ConfigVersion],
    points: Sequence[Point],
    holds: Iterable[Held] = (),
) -> Marks:
    """Return the marks of a time range; *versions* and *holds* are in order of time."""
    stops = [
        (point.start + (point.end - point.start) / 2, count)
        for point in points
        if (count := point.counts.counts[TransitionKind.PREEMPTED.value])
    ]
    return Marks(
        versions=markers_of(frame, versions),
        stops=tuple(svg_number(frame.x(middle)) for middle, _ in stops),
        stopped=sum(count for _, count in stops),
        holds=tuple(_hold(frame, held) for held in holds),
    )


def markers_of(frame: Frame, versions: Iterable[ConfigVersion]) -> tuple[Marker, ...]:
    """Return markers of *versions*, oldest first; of close ones, only the first has a label."""
    markers: list[Marker] = []
    formats = active_formats()
    last = -float(_NEAR)
    for version in versions:
        x = frame.x(version.created_at)
        named = x - last >= _NEAR
        last = x if named else last
        markers.append(
            Marker(
                at=percent(frame, version.created_at),
                x=f"{x:.1f}",
                number=version.number,
                title=f"{formats.minute(version.created_at)} by {version.author}",
                is_named=named,
                is_at_end=x > WIDTH - _NEAR,
            )
        )
    return tuple(markers)


def _hold(frame: Frame, held: Held) -> Hold:
    formats = active_formats()
    if held.until:
        span = f"from {formats.bare_minute(held.since)} to {formats.minute(held.until)}"
    else:
        span = f"since {formats.minute(held.since)}"
    return Hold(
        box=frame.box(held.since, held.until or frame.until),
        sentence=f"Held {span}: {held.reason}",
    )
