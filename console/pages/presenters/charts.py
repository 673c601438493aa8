"""
Charts: the geometry of time series as paths, ticks and marks, finished for an SVG.

A drawing is 1000 units wide and 100 high and is stretched over its frame; what must not
be stretched, words and marks, is placed in percent beside it. Every value holds for all of
its step, so lines go in steps, and a gap is where nothing is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from console.series.coverage import Span

WIDTH: Final = 1000
HEIGHT: Final = 100

#: Lines across the drawing at most, and moments named below it.
_MOST_LINES: Final = 5
_MOST_MOMENTS: Final = 4

#: Stretches without data that are drawn each; further ones are too small to see.
_MOST_GAPS: Final = 300

#: How far apart moments may be named.
_STRIDES: Final = tuple(
    [timedelta(minutes=n) for n in (1, 2, 5, 10, 15, 30)]
    + [timedelta(hours=n) for n in (1, 2, 3, 6, 12)]
    + [timedelta(days=n) for n in (1, 2, 3, 7, 14, 28, 91, 182, 364)]
)


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
class Tick:
    """A word at a place, in percent of the width or height."""

    at: str
    text: str
    #: Where the word stands to its place: start, middle or end.
    anchor: str = "middle"


@dataclass(frozen=True, slots=True)
class Line:
    """A line across the drawing, in its units."""

    y: str
    is_zero: bool


@dataclass(frozen=True, slots=True)
class Box:
    """A stretch without data, in units of the drawing."""

    x: str
    width: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What is the same for every chart above another: the time, its ticks and its gaps."""

    since: datetime
    until: datetime
    moments: tuple[Tick, ...] = ()
    gaps: tuple[Box, ...] = ()

    def x(self, moment: datetime) -> float:
        """Return where *moment* is, in units of the drawing."""
        whole = (self.until - self.since).total_seconds()
        part = (moment - self.since).total_seconds() / whole if whole else 0.0
        return min(1.0, max(0.0, part)) * WIDTH


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
        first = f"M{_unit(self.frame.x(run[0].begin))} {_unit(self.y(run[0].upper))}"
        return first + self._steps(run, lambda piece: piece.upper)

    def _around(self, run: Sequence[Piece]) -> str:
        """Return the way along the upper edge and back along the lower one."""
        begin = _unit(self.frame.x(run[0].begin))
        back = "".join(
            f"V{_unit(self.y(piece.lower))}H{_unit(self.frame.x(piece.begin))}"
            for piece in reversed(_joined(run, lambda piece: piece.lower))
        )
        upper = self._steps(run, lambda piece: piece.upper)
        return f"M{begin} {_unit(self.y(run[0].upper))}{upper}{back}Z"

    def _steps(self, run: Sequence[Piece], value: Callable[[Piece], float]) -> str:
        joined = _joined(run, value)
        return f"H{_unit(self.frame.x(joined[0].end))}" + "".join(
            f"V{_unit(self.y(value(piece)))}H{_unit(self.frame.x(piece.end))}"
            for piece in joined[1:]
        )


def frame_of(since: datetime, until: datetime, gaps: Sequence[Span]) -> Frame:
    """Return the frame of that time; *gaps* are the stretches that nobody sampled."""
    bare = Frame(since=since, until=until)
    longest = sorted(gaps, key=lambda gap: gap[0] - gap[1])[:_MOST_GAPS]
    return Frame(
        since=since,
        until=until,
        moments=tuple(_moments(bare)),
        gaps=tuple(
            Box(_unit(bare.x(begin)), _unit(bare.x(end) - bare.x(begin)))
            for begin, end in sorted(longest)
        ),
    )


def lines_of(
    drawing: Drawing, step: float, text: Callable[[float], str]
) -> tuple[tuple[Line, ...], tuple[Tick, ...]]:
    """Return lines across at every multiple of *step*, and what they are called."""
    lines, ticks = [], []
    value = -(-drawing.low // step) * step
    while value <= drawing.high:
        y = drawing.y(value)
        lines.append(Line(_unit(y), value == 0 and drawing.low < 0))
        ticks.append(Tick(f"{_unit(y)}%", text(abs(value)), "start"))
        value += step
    return tuple(lines), tuple(ticks)


def step_of(reach: float, steps: Iterable[float]) -> float:
    """Return the least of *steps*, which rise, that divides *reach* into few parts."""
    found = 1.0
    for found in steps:
        if reach / found <= _MOST_LINES:
            break
    return found


def percent(frame: Frame, moment: datetime) -> str:
    """Return where *moment* is, for what is not stretched."""
    return f"{_unit(frame.x(moment) / 10)}%"


def _moments(frame: Frame) -> Iterator[Tick]:
    whole = frame.until - frame.since
    stride = next((s for s in _STRIDES if whole / s <= _MOST_MOMENTS), _STRIDES[-1])
    midnight = frame.since.replace(hour=0, minute=0)
    moment = midnight + -((midnight - frame.since) // stride) * stride
    while moment <= frame.until:
        part = frame.x(moment)
        anchor = "start" if part < WIDTH * 0.06 else "end" if part > WIDTH * 0.94 else "middle"
        yield Tick(percent(frame, moment), _moment(moment, stride), anchor)
        moment += stride


def _moment(moment: datetime, stride: timedelta) -> str:
    if stride >= timedelta(days=1) or not (moment.hour or moment.minute):
        return f"{moment.day} {moment:%b}"
    return f"{moment:%H:%M}"


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


def _unit(value: float) -> str:
    """
    Return a number with one decimal at most.

    >>> _unit(12.0), _unit(0.34), _unit(-0.04)
    ('12', '0.3', '0')
    """
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text
