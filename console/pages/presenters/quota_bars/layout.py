"""Layout of the parts of a quota bar: end to end, in proportion, with a minimum length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

#: Width of every drawing in units, independent of its size on the screen.
WIDTH = 1000
#: Minimum length of a nonzero part: two pixels of a drawing of 120 pixels.
LEAST = 16


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a drawing in thousandths of its width; with width 0 a position, or not drawn."""

    x: int = 0
    width: int = 0

    @property
    def end(self) -> int:
        """The end, in units."""
        return self.x + self.width

    @property
    def left(self) -> str:
        """
        The start, as an SVG length.

        >>> Segment(125, 300).left, Segment(125, 300).length, Segment(125, 300).right
        ('12.5%', '30%', '42.5%')
        """
        return _percent(self.x)

    @property
    def length(self) -> str:
        """The width, as an SVG length."""
        return _percent(self.width)

    @property
    def right(self) -> str:
        """The end, as an SVG length."""
        return _percent(self.end)


NOTHING = Segment()


def lay_out(amounts: Sequence[int], scale: int, width: int) -> tuple[Segment, ...]:
    """
    Return the segments of *amounts*, end to end, on a line of length *width* that means *scale*.

    Segments stay on the line and do not overlap. A nonzero amount is at least `LEAST` long; the
    missing length is taken from the longest segments and the rest of the line. *scale* is at
    least the sum of *amounts*.

    >>> lay_out([50, 0, 1], 100, 1000)
    (Segment(x=0, width=494), Segment(x=494, width=0), Segment(x=494, width=16))
    """
    ends, total = [0], 0
    for amount in amounts:
        total += amount
        ends.append(total * width // scale)
    lengths = [end - begin for begin, end in pairwise(ends)]
    lengths.append(width - ends[-1])
    for place, amount in enumerate(amounts):
        lacking = LEAST - lengths[place] if amount else 0
        while lacking > 0:
            longest = max(range(len(lengths)), key=lengths.__getitem__)
            given = min(lacking, lengths[longest] - LEAST)
            lengths[longest] -= given
            lengths[place] += given
            lacking -= given
    segments, begin = [], 0
    for length in lengths[:-1]:
        segments.append(Segment(begin, length))
        begin += length
    return tuple(segments)


def seams(parts: Sequence[Segment]) -> tuple[Segment, ...]:
    """Return the positions where two drawn *parts* touch; *parts* are in order."""
    drawn = [part for part in parts if part.width]
    return tuple(Segment(one.end) for one, two in pairwise(drawn) if one.end == two.x)


def _percent(units: int) -> str:
    return f"{units * 100 / WIDTH:g}%"
