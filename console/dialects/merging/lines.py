"""Merge line by line: what both texts kept of base holds the changes apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from console.dialects.merging.pieces import Piece, lines_of

#: Lines beyond which matching, whose time grows with the square, is not tried.
_MOST_LINES = 4000


def merge_lines(base: str, theirs: str, yours: str) -> tuple[Piece, ...]:
    r"""
    Return the places of three texts between lines that all of them share, and those lines.

    >>> pieces = merge_lines("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n")
    >>> [piece.merged for piece in pieces if piece.merged]
    ['A\n', 'b\n', 'C\n']
    >>> [piece.is_conflict for piece in merge_lines("a\n", "b\n", "c\n")]
    [True]
    """
    sides = [lines_of(text) for text in (base, theirs, yours)]
    if max(map(len, sides)) > _MOST_LINES:
        return (_piece(*sides),)
    found = (_piece(*region) for region in _regions(*sides))
    return tuple(piece for piece in found if piece.base or piece.theirs or piece.yours)


def _regions(
    base: list[str], theirs: list[str], yours: list[str]
) -> Iterator[tuple[list[str], list[str], list[str]]]:
    """Cut three texts at the lines that all of them share."""
    at = (0, 0, 0)
    for start, one, other, size in _shared(base, theirs, yours):
        yield base[at[0] : start], theirs[at[1] : one], yours[at[2] : other]
        yield (
            base[start : start + size],
            theirs[one : one + size],
            yours[other : other + size],
        )
        at = (start + size, one + size, other + size)


def _piece(base: list[str], theirs: list[str], yours: list[str]) -> Piece:
    old, one, other = "".join(base), "".join(theirs), "".join(yours)
    is_conflict = one not in (old, other) and other != old
    return Piece(
        noun=None,
        name="",
        base=old,
        theirs=one,
        yours=other,
        merged=None if is_conflict else other if one == old else one,
        is_conflict=is_conflict,
    )


def _shared(
    base: Sequence[str], theirs: Sequence[str], yours: Sequence[str]
) -> Iterator[tuple[int, int, int, int]]:
    ones = SequenceMatcher(None, base, theirs, autojunk=False).get_matching_blocks()
    others = SequenceMatcher(None, base, yours, autojunk=False).get_matching_blocks()
    i = j = 0
    while i < len(ones) and j < len(others):
        a, b = ones[i], others[j]
        start = max(a.a, b.a)
        end = min(a.a + a.size, b.a + b.size)
        if start < end:
            yield start, a.b + start - a.a, b.b + start - b.a, end - start
        if a.a + a.size < b.a + b.size:
            i += 1
        else:
            j += 1
    yield len(base), len(theirs), len(yours), 0
