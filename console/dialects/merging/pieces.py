"""A merge as values: the places of the three texts in order, and what becomes of each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

#: What ends a line where origins count lines, which is less than `str.splitlines` knows.
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


class Verdict(StrEnum):
    """What is known of a merge."""

    #: The merged text reads without errors and means both changes.
    SAFE = "safe"
    #: Both sides changed the same object, and a person has to choose.
    CONFLICTS = "conflicts"
    #: Everything fits together as text, but that it means both changes is not certain.
    UNSURE = "unsure"
    #: Everything fits together as text, and that text has errors.
    BROKEN = "broken"


class Choice(StrEnum):
    """A side whose state of a piece is taken."""

    BASE = "base"
    THEIRS = "theirs"
    YOURS = "yours"


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """
    Lines that belong together, in all three texts.

    Each text is whole lines; None where that side does not have the piece at all.
    """

    #: The kind of the object; None: lines that belong to no one object.
    noun: str | None
    #: The key of the object. Of one that is tried in order: what it leads to.
    name: str
    base: str | None
    theirs: str | None
    yours: str | None
    #: What holds both changes, None for nothing at all; of no use in a conflict.
    merged: str | None
    is_conflict: bool = False
    #: A conflict about order alone: each side has all of it, what it added itself in front.
    is_order: bool = False

    def state(self, choice: Choice) -> str | None:
        """Return the piece as one side has it."""
        states = {Choice.BASE: self.base, Choice.THEIRS: self.theirs, Choice.YOURS: self.yours}
        return states[choice]


@dataclass(frozen=True, slots=True, kw_only=True)
class Renamed:
    """An object that one side renamed; all three texts of a merge have its new name."""

    #: The kind of the object.
    noun: str
    old: str
    new: str
    #: THEIRS or YOURS.
    by: Choice


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge:
    """What comes of a merge; its pieces are in the order of the merged text."""

    pieces: tuple[Piece, ...]
    verdict: Verdict
    renamed: tuple[Renamed, ...] = ()

    @property
    def conflicts(self) -> tuple[Piece, ...]:
        """The pieces that a person has to decide on."""
        return tuple(piece for piece in self.pieces if piece.is_conflict)

    @property
    def text(self) -> str | None:
        """The merged text; None while there are conflicts."""
        return None if self.conflicts else self.resolved(())

    def resolved(self, decided: Sequence[str | None]) -> str:
        """Return the text in which the conflicts have become *decided*, one for each, in order."""
        waiting = iter(decided)
        texts = (next(waiting) if piece.is_conflict else piece.merged for piece in self.pieces)
        return "".join(whole_lines(text) for text in texts if text)


def lines_of(text: str) -> list[str]:
    r"""
    Return the lines of *text* with their ends.

    >>> lines_of("a\r\nb\x85c\n\nd")
    ['a\r\n', 'b\x85c\n', '\n', 'd']
    """
    return _LINE.findall(text)


def whole_lines(text: str) -> str:
    r"""
    Return *text* with its last line ended.

    >>> whole_lines("a"), whole_lines("a\n"), whole_lines("a\r"), whole_lines("")
    ('a\n', 'a\n', 'a\r', '')
    """
    return text if not text or text.endswith(("\n", "\r")) else f"{text}\n"
