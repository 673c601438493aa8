"""Where the parts of a quota bar lie: end to end, in proportion, and none too small to be seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

#: Every drawing is so many units wide, whatever its size on the screen.
WIDTH = 1000
#: The least length of a part that is not nothing: two pixels of a drawing of 120.
LEAST = 16


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a drawing in thousandths of its width; one of width 0 is not drawn, or a place."""

    x: int = 0
    width: int = 0

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.x + self.width

    @property
    def left(self) -> str:
        """
        Where it begins, as SVG has it.

        >>> Segment(125, 300).left, Segment(125, 300).length, Segment(125, 300).right
        ('12.5%', '30%', '42.5%')
        """
        return _percent(self.x)

    @property
    def length(self) -> str:
        """How long it is, as SVG has it."""
        return _percent(self.width)

    @property
    def right(self) -> str:
        """Where it ends, as SVG has it."""
        return _percent(self.end)


NOTHING = Segment()


def lay_out(amounts: Sequence[int], scale: int, width: int) -> tuple[Segment, ...]:
    """
    Return where *amounts* lie, end to end, on a line *width* long that stands for *scale*.

    No part leaves the line or lies over another. An amount that is not 0 is at least
    `LEAST` long; the longest parts, and what is left of the line, give what it lacks.
    *scale* is not below the sum of *amounts*.

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
    """Return the places where two drawn *parts*, which are in order, touch each other."""
    drawn = [part for part in parts if part.width]
    return tuple(Segment(one.end) for one, two in pairwise(drawn) if one.end == two.x)


def _percent(units: int) -> str:
    return f"{units * 100 / WIDTH:g}%"
