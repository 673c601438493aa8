"""
The frame of charts: the time that all of them are about, what it is called, and its gaps.

A drawing is 1000 units wide and 100 high and is stretched over its frame; what must not
be stretched, words and marks, is placed in percent beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from console.series.coverage import Span

WIDTH: Final = 1000

#: Moments named below a drawing at most.
_MOST_MOMENTS: Final = 4

#: Stretches without data that are drawn each; further ones are too small to see.
_MOST_GAPS: Final = 300

#: How far apart moments may be named.
_STRIDES: Final = tuple(
    [timedelta(minutes=n) for n in (1, 2, 5, 10, 15, 30)]
    + [timedelta(hours=n) for n in (1, 2, 3, 6, 12)]
    + [timedelta(days=n) for n in (1, 2, 3, 7, 14, 28, 91, 182, 364)]
)


@dataclass(frozen=True, slots=True)
class Tick:
    """A word at a place, in percent of the width or height."""

    at: str
    text: str
    #: Where the word stands to its place: start, middle or end.
    anchor: str = "middle"


@dataclass(frozen=True, slots=True)
class Box:
    """A stretch of time, in units of the drawing."""

    x: str
    width: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What is the same for every chart above another: the time, its ticks and its gaps."""

    since: datetime
    until: datetime
    moments: tuple[Tick, ...] = ()
    gaps: tuple[Box, ...] = ()
    #: When counting began, where that is within the time, and the stretch before it.
    begun: datetime | None = None
    before: Box | None = None

    def x(self, moment: datetime) -> float:
        """Return where *moment* is, in units of the drawing."""
        whole = (self.until - self.since).total_seconds()
        part = (moment - self.since).total_seconds() / whole if whole else 0.0
        return min(1.0, max(0.0, part)) * WIDTH

    def box(self, begin: datetime, end: datetime) -> Box:
        """Return where the time from *begin* to *end* is."""
        return Box(unit(self.x(begin)), unit(self.x(end) - self.x(begin)))


def frame_of(
    since: datetime, until: datetime, gaps: Sequence[Span], begun: datetime | None = None
) -> Frame:
    """
    Return the frame of a time range.

    *gaps* are the spans without samples; before *begun*, the start of sampling, there are none.
    """
    bare = Frame(since=since, until=until)
    is_young = begun is not None and since < begun < until
    first = begun if begun is not None and is_young else since
    real = [(max(begin, first), end) for begin, end in gaps if end > first]
    longest = sorted(real, key=lambda gap: gap[0] - gap[1])[:_MOST_GAPS]
    return Frame(
        since=since,
        until=until,
        moments=tuple(_moments(bare)),
        gaps=tuple(bare.box(begin, end) for begin, end in sorted(longest)),
        begun=first if is_young else None,
        before=bare.box(since, first) if is_young else None,
    )


def percent(frame: Frame, moment: datetime) -> str:
    """Return where *moment* is, for what is not stretched."""
    return f"{unit(frame.x(moment) / 10)}%"


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


def unit(value: float) -> str:
    """
    Return a number with one decimal at most.

    >>> unit(12.0), unit(0.34), unit(-0.04)
    ('12', '0.3', '0')
    """
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text
