"""Three-way merge of config texts, line by line: theirs and yours, both begun from base."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

#: Lines beyond which matching, whose time grows with the square, is not tried.
MOST_LINES = 4000


@dataclass(frozen=True, slots=True)
class Merge:
    """The merged text; None when both changed the same *conflicts* places."""

    text: str | None
    conflicts: int


def merge_texts(base: str, theirs: str, yours: str) -> Merge:
    r"""
    Merge the changes that *theirs* and *yours* each made to *base*.

    >>> merge_texts("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n")
    Merge(text='A\nb\nC\n', conflicts=0)
    >>> merge_texts("a\n", "b\n", "c\n")
    Merge(text=None, conflicts=1)
    """
    sides = [text.splitlines(keepends=True) for text in (base, theirs, yours)]
    if max(map(len, sides)) > MOST_LINES:
        return Merge(None, 1)
    merged: list[str] = []
    conflicts = 0
    for old, one, other in _regions(*sides):
        if one in (old, other):
            merged += other
        elif other == old:
            merged += one
        else:
            conflicts += 1
    return Merge("".join(merged) if not conflicts else None, conflicts)


def _regions(
    base: list[str], theirs: list[str], yours: list[str]
) -> Iterator[tuple[list[str], list[str], list[str]]]:
    """Cut the three texts at the lines that all of them share."""
    at = (0, 0, 0)
    for start, one, other, size in _shared(base, theirs, yours):
        yield base[at[0] : start], theirs[at[1] : one], yours[at[2] : other]
        yield (
            base[start : start + size],
            theirs[one : one + size],
            yours[other : other + size],
        )
        at = (start + size, one + size, other + size)


def _shared(
    base: list[str], theirs: list[str], yours: list[str]
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
