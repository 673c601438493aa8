"""Merge three config texts by object, else by line, and compare the result with both changes."""

from __future__ import annotations

from collections.abc import Iterator

from console.dialects.merging.lines import merge_lines
from console.dialects.merging.meaning import CombinedMeaning, combine_meanings
from console.dialects.merging.objects import merge_objects
from console.dialects.merging.pieces import Merge, Piece, Verdict
from console.dialects.merging.renames import Read, Rename, Sides, follow_renames
from console.dialects.positions import BYTE_ORDER_MARK


def merge_configs(
    base: str,
    theirs: str,
    yours: str,
    read: Read,
    *,
    check: Read | None = None,
    rename: Rename | None = None,
) -> Merge:
    """
    Merge the changes that *theirs* and *yours* each made to *base*.

    *read* returns the objects of a text, or None if it has errors. *check* does the same for a text
    to be applied, and may be stricter. *rename* applies the renames of one side to the other texts.
    The first safe merge is returned; otherwise the merge by object, if there is one. A byte order
    mark at the start of a text is ignored.
    """
    base, theirs, yours = (each.removeprefix(BYTE_ORDER_MARK) for each in (base, theirs, yours))
    one, two, three = read(base), read(theirs), read(yours)
    check = check or read
    if one is None or two is None or three is None:
        pieces = merge_lines(base, theirs, yours)
        return Merge(pieces=pieces, verdict=_verdict(pieces, None, check))
    sides = follow_renames((base, theirs, yours), (one, two, three), read, rename)
    expected = combine_meanings(*sides.objects)
    merges = []
    for pieces in _candidates(sides):
        verdict = _verdict(pieces, expected, check)
        merge = Merge(pieces=pieces, verdict=verdict, renamed=sides.renamed)
        if verdict is Verdict.SAFE:
            return merge
        merges.append(merge)
    return merges[0]


def _candidates(sides: Sides) -> Iterator[tuple[Piece, ...]]:
    by_object = merge_objects(sides.texts, sides.known)
    if by_object is not None:
        yield by_object
    yield merge_lines(*sides.texts)


def _verdict(pieces: tuple[Piece, ...], expected: CombinedMeaning | None, check: Read) -> Verdict:
    text = Merge(pieces=pieces, verdict=Verdict.UNSURE).text
    if text is None:
        return Verdict.CONFLICTS
    merged = check(text)
    if merged is None:
        return Verdict.BROKEN
    if expected is None or not expected.matches(merged):
        return Verdict.UNSURE
    return Verdict.SAFE
