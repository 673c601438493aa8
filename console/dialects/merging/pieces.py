"""A merge as values: its pieces in order, the verdict, and the renamed objects."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

#: A line with its end, as origins count lines; `str.splitlines` knows more line ends.
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


class Verdict(StrEnum):
    """The result of a merge."""

    #: The merged text reads without errors and means both changes.
    SAFE = "safe"
    #: Both sides changed the same object, and a person has to choose.
    CONFLICTS = "conflicts"
    #: The texts merge without conflict, but may not mean both changes.
    UNSURE = "unsure"
    #: The texts merge without conflict, but the merged text has errors.
    BROKEN = "broken"


class Choice(StrEnum):
    """The side whose text of a piece is chosen."""

    BASE = "base"
    THEIRS = "theirs"
    YOURS = "yours"


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """
    Lines that belong together, in all three texts.

    Each text is whole lines, or None if that side does not have the piece.
    """

    #: The kind of the object; None for lines outside of objects.
    noun: str | None
    #: The key of the object; for an ordered object, its target.
    name: str
    base: str | None
    theirs: str | None
    yours: str | None
    #: The text with both changes; None if it is empty or there is a conflict.
    merged: str | None
    is_conflict: bool = False
    #: A conflict only about order: each side has the objects of both, its own first.
    is_order: bool = False

    def state(self, choice: Choice) -> str | None:
        """Return the text of the piece on one side."""
        states = {Choice.BASE: self.base, Choice.THEIRS: self.theirs, Choice.YOURS: self.yours}
        return states[choice]


@dataclass(frozen=True, slots=True, kw_only=True)
class Renamed:
    """An object that one side renamed; all three texts of the merge use the new name."""

    #: The kind of the object.
    noun: str
    old: str
    new: str
    #: The side that renamed it: THEIRS or YOURS.
    by: Choice


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge:
    """The result of a merge; its pieces are in the order of the merged text."""

    pieces: tuple[Piece, ...]
    verdict: Verdict
    renamed: tuple[Renamed, ...] = ()

    @property
    def conflicts(self) -> tuple[Piece, ...]:
        """The pieces that a person has to decide."""
        return tuple(piece for piece in self.pieces if piece.is_conflict)

    @property
    def text(self) -> str | None:
        """The merged text; None while there are conflicts."""
        return None if self.conflicts else self.resolved(())

    def resolved(self, decided: Sequence[str | None]) -> str:
        """Return the text in which the conflicts are replaced with *decided*, in order."""
        waiting = iter(decided)
        texts = (next(waiting) if piece.is_conflict else piece.merged for piece in self.pieces)
        return "".join(whole_lines(text) for text in texts if text)


def lines_of(text: str) -> list[str]:
    r"""
    Return the lines of *text* with their line breaks.

    >>> lines_of("a\r\nb\x85c\n\nd")
    ['a\r\n', 'b\x85c\n', '\n', 'd']
    """
    return _LINE.findall(text)


def whole_lines(text: str) -> str:
    r"""
    Return *text* with a line break at its end.

    >>> whole_lines("a"), whole_lines("a\n"), whole_lines("a\r"), whole_lines("")
    ('a\n', 'a\n', 'a\r', '')
    """
    return text if not text or text.endswith(("\n", "\r")) else f"{text}\n"
