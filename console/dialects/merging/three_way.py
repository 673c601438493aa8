"""Merge three config texts: by object, else by line, and hold the result to both meanings."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from console.dialects.merging.lines import merge_lines
from console.dialects.merging.meaning import both_meanings, meaning_of
from console.dialects.merging.objects import merge_objects
from console.dialects.merging.pieces import Merge, Piece, Verdict
from console.dialects.positions import BYTE_ORDER_MARK
from console.engine.policy import Policy


def merge_configs(
    base: str, theirs: str, yours: str, read: Callable[[str], Policy | None]
) -> Merge:
    """
    Merge the changes that *theirs* and *yours* each made to *base*.

    *read* compiles a text of their language, None when it has errors. The first way that
    gives a safe merge is taken; otherwise the one by object, where there is one. A byte
    order mark in front of a text is no part of it, nor of the merge.
    """
    base, theirs, yours = (each.removeprefix(BYTE_ORDER_MARK) for each in (base, theirs, yours))
    policies = read(base), read(theirs), read(yours)
    one, two, three = policies
    expected = None
    if one is not None and two is not None and three is not None:
        expected = both_meanings(one, two, three)
    merges = []
    for pieces in _candidates((base, theirs, yours), policies):
        merge = Merge(pieces=pieces, verdict=_verdict(pieces, expected, read))
        if merge.verdict is Verdict.SAFE:
            return merge
        merges.append(merge)
    return merges[0]


def _candidates(
    texts: tuple[str, str, str], policies: tuple[Policy | None, Policy | None, Policy | None]
) -> Iterator[tuple[Piece, ...]]:
    base, theirs, yours = policies
    if base is not None and theirs is not None and yours is not None:
        by_object = merge_objects(texts, (base, theirs, yours))
        if by_object is not None:
            yield by_object
    yield merge_lines(*texts)


def _verdict(
    pieces: tuple[Piece, ...],
    expected: dict[str, object] | None,
    read: Callable[[str], Policy | None],
) -> Verdict:
    text = Merge(pieces=pieces, verdict=Verdict.UNSURE).text
    if text is None:
        return Verdict.CONFLICTS
    merged = read(text)
    if merged is None:
        return Verdict.BROKEN
    if expected is None or meaning_of(merged) != expected:
        return Verdict.UNSURE
    return Verdict.SAFE
