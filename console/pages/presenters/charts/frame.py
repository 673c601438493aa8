"""
The time axis that all charts of a page share: range, labels and gaps in the data.

A drawing is 1000 units wide and 100 high and is stretched to the size of its frame. Words and
marks, which must not be stretched, are placed in percent outside the drawing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from console.pages.personal_formats import DEFAULT, PersonalFormats, active_formats
from console.series.coverage import Span

WIDTH: Final = 1000

#: Maximum number of labels on the time axis.
_MOST_MOMENTS: Final = 4

#: Maximum number of gaps that are drawn; the longest ones are, others are too small to see.
_MOST_GAPS: Final = 300

#: Possible distances between labels.
_STRIDES: Final = tuple(
    [timedelta(minutes=n) for n in (1, 2, 5, 10, 15, 30)]
    + [timedelta(hours=n) for n in (1, 2, 3, 6, 12)]
    + [timedelta(days=n) for n in (1, 2, 3, 7, 14, 28, 91, 182, 364)]
)


@dataclass(frozen=True, slots=True)
class Tick:
    """A label of an axis; *at* is its position in percent of the width or height."""

    at: str
    text: str
    #: The part of the text at the position: start, middle or end.
    anchor: str = "middle"


@dataclass(frozen=True, slots=True)
class Box:
    """A time span, in units of the drawing."""

    x: str
    width: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """The shared time axis of stacked charts: range, ticks and gaps."""

    since: datetime
    until: datetime
    moments: tuple[Tick, ...] = ()
    gaps: tuple[Box, ...] = ()
    #: Start of sampling if it is within the range, and the span before it.
    begun: datetime | None = None
    before: Box | None = None
    #: The end of simulated history and the span before it, if it is within the range.
    simulated_until: datetime | None = None
    simulated: Box | None = None
    #: The formats of times on the axis and in the table; in UTC for steps of days.
    formats: PersonalFormats = DEFAULT

    @property
    def zone(self) -> str:
        """The time zone of the axis and of the table."""
        return self.formats.zone

    @property
    def range_text(self) -> str:
        """The text of start and end, without the zone."""
        return f"{self.formats.bare_minute(self.since)} to {self.formats.bare_minute(self.until)}"

    @property
    def begun_text(self) -> str:
        """The text of the start of sampling, without the zone; empty if it is not marked."""
        return self.formats.bare_minute(self.begun) if self.begun else ""

    @property
    def simulated_text(self) -> str:
        """The text of the end of simulated history, without the zone; empty if it is not marked."""
        return self.formats.bare_minute(self.simulated_until) if self.simulated_until else ""

    def x(self, moment: datetime) -> float:
        """Return the horizontal position of *moment*, in units of the drawing."""
        whole = (self.until - self.since).total_seconds()
        part = (moment - self.since).total_seconds() / whole if whole else 0.0
        return min(1.0, max(0.0, part)) * WIDTH

    def with_simulated(self, until: datetime | None) -> Frame:
        """Return the frame with history before *until* marked as simulated; None marks nothing."""
        begin = self.begun or self.since
        if until is None or until <= begin:
            return self
        box = self.box(begin, min(until, self.until))
        return replace(self, simulated_until=until, simulated=box)

    def box(self, begin: datetime, end: datetime) -> Box:
        """Return the box of the time from *begin* to *end*."""
        return Box(svg_number(self.x(begin)), svg_number(self.x(end) - self.x(begin)))


def frame_of(
    since: datetime,
    until: datetime,
    gaps: Sequence[Span],
    begun: datetime | None = None,
    *,
    is_by_day: bool = False,
) -> Frame:
    """
    Return the frame of a time range, in the formats of the reader.

    Days of data are days in UTC, so the axis is in UTC if the data *is_by_day*.

    *gaps* are the spans without samples; before *begun*, the start of sampling, there are none.
    """
    formats = active_formats().in_utc() if is_by_day else active_formats()
    bare = Frame(since=since, until=until, formats=formats)
    is_young = begun is not None and since < begun < until
    first = begun if begun is not None and is_young else since
    real = [(max(begin, first), end) for begin, end in gaps if end > first]
    longest = sorted(real, key=lambda gap: gap[0] - gap[1])[:_MOST_GAPS]
    return replace(
        bare,
        moments=tuple(_moments(bare)),
        gaps=tuple(bare.box(begin, end) for begin, end in sorted(longest)),
        begun=first if is_young else None,
        before=bare.box(since, first) if is_young else None,
    )


def percent(frame: Frame, moment: datetime) -> str:
    """Return the horizontal position of *moment* in percent, for elements outside the drawing."""
    return f"{svg_number(frame.x(moment) / 10)}%"


def _moments(frame: Frame) -> Iterator[Tick]:
    whole = frame.until - frame.since
    stride = next((s for s in _STRIDES if whole / s <= _MOST_MOMENTS), _STRIDES[-1])
    # Labels are at round times of the reader's clock, which skips and repeats some times.
    begin = frame.formats.local(frame.since).replace(tzinfo=None, fold=0)
    midnight = begin.replace(hour=0, minute=0, second=0, microsecond=0)
    wall = midnight + -((midnight - begin) // stride) * stride
    last = frame.formats.local(frame.until).replace(tzinfo=None, fold=0)
    while wall <= last:
        for moment in frame.formats.moments(wall):
            if frame.since <= moment <= frame.until:
                part = frame.x(moment)
                anchor = (
                    "start" if part < WIDTH * 0.06 else "end" if part > WIDTH * 0.94 else "middle"
                )
                yield Tick(percent(frame, moment), _moment(frame.formats, moment, stride), anchor)
        wall += stride


def _moment(formats: PersonalFormats, moment: datetime, stride: timedelta) -> str:
    local = formats.local(moment)
    if stride >= timedelta(days=1) or not (local.hour or local.minute):
        return formats.short_day(moment)
    return formats.time_of_day(moment)


def svg_number(value: float) -> str:
    """
    Return *value* as text with at most one decimal.

    >>> svg_number(12.0), svg_number(0.34), svg_number(-0.04)
    ('12', '0.3', '0')
    """
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text
