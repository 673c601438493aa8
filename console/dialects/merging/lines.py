"""Line-by-line merge: lines that all three texts share separate the changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from console.dialects.merging.pieces import Piece, lines_of
from console.engine.diff.order import in_order


def merge_lines(base: str, theirs: str, yours: str) -> tuple[Piece, ...]:
    r"""
    Return the pieces of three texts: runs of lines that all share, and the parts between them.

    >>> pieces = merge_lines("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n")
    >>> [piece.merged for piece in pieces if piece.merged]
    ['A\n', 'b\n', 'C\n']
    >>> [piece.is_conflict for piece in merge_lines("a\n", "b\n", "c\n")]
    [True]
    """
    sides = [lines_of(text) for text in (base, theirs, yours)]
    found = (_piece(*region) for region in regions(*sides))
    return tuple(piece for piece in found if piece.base or piece.theirs or piece.yours)


def regions(
    base: Sequence[str], theirs: Sequence[str], yours: Sequence[str]
) -> Iterator[tuple[Sequence[str], Sequence[str], Sequence[str]]]:
    """Split three lists into regions: runs of items that all share, and the parts between them."""
    at = (0, 0, 0)
    for start, one, other, size in _shared(base, theirs, yours):
        yield base[at[0] : start], theirs[at[1] : one], yours[at[2] : other]
        yield (
            base[start : start + size],
            theirs[one : one + size],
            yours[other : other + size],
        )
        at = (start + size, one + size, other + size)
    yield base[at[0] :], theirs[at[1] :], yours[at[2] :]


def _piece(base: Sequence[str], theirs: Sequence[str], yours: Sequence[str]) -> Piece:
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
    """Yield each shared run of items: its start in each of the lists, and its length."""
    others = dict(in_order(base, yours))
    kept = [(i, j, others[i]) for i, j in in_order(base, theirs) if i in others]
    size = 0
    for place, (i, j, k) in enumerate(kept):
        size += 1
        if kept[place + 1 : place + 2] != [(i + 1, j + 1, k + 1)]:
            yield i - size + 1, j - size + 1, k - size + 1, size
            size = 0
