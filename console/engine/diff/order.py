"""Order: which equal items of two lists keep their order, as many as there can be."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import NamedTuple

#: Pairs of equal items that are weighed against each other. Only where items are there many times
#: over are there more.
_MOST_PAIRS = 200_000
#: How often lists with too many pairs are cut into smaller ones.
_MOST_CUTS = 10


class Gap(NamedTuple):
    """Places between items that keep their order, in both lists; one of them may be empty."""

    old: range
    new: range


class _Chain(NamedTuple):
    """Pairs in order, the last one first."""

    old: int
    new: int
    before: _Chain | None


def in_order(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[tuple[int, int]]:
    """
    Return the places of equal items that stand in the same order in both, as many as there can be.

    Of several answers it is one in which earlier items of *old* stay. Where items are
    repeated so often that there are too many answers, those that are there once are matched
    first and the others between them, and there may be fewer than could be.

    >>> in_order("abcd", "cdab")
    [(0, 2), (1, 3)]
    """
    matching = _Matching(old, new)
    matching.match(range(len(old)), range(len(new)), _MOST_CUTS)
    return matching.kept


def gaps(kept: Sequence[tuple[int, int]], old: int, new: int) -> Iterator[Gap]:
    """Yield what lies between the pairs of *kept* in lists of *old* and *new* items."""
    i = j = 0
    for one, other in (*kept, (old, new)):
        if i < one or j < other:
            yield Gap(range(i, one), range(j, other))
        i, j = one + 1, other + 1


class _Matching:
    """One comparison: what is kept so far, and how many pairs may still be weighed."""

    def __init__(self, old: Sequence[Hashable], new: Sequence[Hashable]) -> None:
        self._old, self._new = old, new
        self._left = _MOST_PAIRS
        self.kept: list[tuple[int, int]] = []

    def match(self, olds: range, news: range, cuts: int) -> None:
        """Add what is kept of these places of both lists."""
        start = self._common(olds, news)
        end = self._common(olds[start:][::-1], news[start:][::-1])
        self.kept += zip(olds[:start], news[:start], strict=True)
        self._middle(olds[start : len(olds) - end], news[start : len(news) - end], cuts)
        self.kept += zip(olds[len(olds) - end :], news[len(news) - end :], strict=True)

    def _middle(self, olds: range, news: range, cuts: int) -> None:
        places: dict[Hashable, list[int]] = {}
        for place in olds:
            places.setdefault(self._old[place], []).append(place)
        items = [self._new[place] for place in news]
        partners: list[Sequence[int]] = [places.get(item, ()) for item in items]
        pairs = sum(map(len, partners))
        if pairs <= self._left:
            self._left -= pairs
            self.kept += _longest(partners, news.start)
            return
        counts = Counter(items)
        once = [
            each if counts[item] == len(each) == 1 else ()
            for item, each in zip(items, partners, strict=True)
        ]
        anchors = _longest(once, news.start) if cuts else []
        if not anchors:
            self.kept += _longest(list(_copies(places, items)), news.start)
            return
        i, j = olds.start, news.start
        for old, new in (*anchors, (olds.stop, news.stop)):
            self.match(range(i, old), range(j, new), cuts - 1)
            if old < olds.stop:
                self.kept.append((old, new))
            i, j = old + 1, new + 1

    def _common(self, olds: range, news: range) -> int:
        """Return how many items are equal from the beginning of these places on."""
        count = 0
        for old, new in zip(olds, news, strict=False):
            if self._old[old] != self._new[new]:
                break
            count += 1
        return count


def _copies(
    places: Mapping[Hashable, Sequence[int]], new: Sequence[Hashable]
) -> Iterator[Sequence[int]]:
    """Yield for each item of *new* the one place where *old* has the same copy of it."""
    seen: dict[Hashable, int] = {}
    for item in new:
        copy = seen.get(item, 0)
        seen[item] = copy + 1
        yield places.get(item, ())[copy : copy + 1]


def _longest(partners: Sequence[Sequence[int]], start: int) -> list[tuple[int, int]]:
    """Return the longest way up through the *partners* of the places from *start* on."""
    # By length of a chain: the smallest place at which one ends, and that chain.
    ends: list[int] = []
    chains: list[_Chain] = []
    for new, olds in enumerate(partners, start):
        # From the last on, so that no two of one place of *new* come into one chain.
        for place in reversed(olds):
            length = bisect_left(ends, place)
            chain = _Chain(place, new, chains[length - 1] if length else None)
            if length == len(ends):
                ends.append(place)
                chains.append(chain)
            elif place < ends[length]:
                ends[length] = place
                chains[length] = chain
    kept: list[tuple[int, int]] = []
    last = chains[-1] if chains else None
    while last is not None:
        kept.append((last.old, last.new))
        last = last.before
    return kept[::-1]
