"""Longest common subsequence of two lists: the equal items that keep their order."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import NamedTuple

#: Maximum number of pairs of equal items to compare. There are more only if items are repeated
#: many times.
_MOST_PAIRS = 200_000
#: Maximum depth to which lists with too many pairs are divided.
_MOST_CUTS = 10


class Gap(NamedTuple):
    """Ranges between two items that keep their order, in both lists; one of them may be empty."""

    old: range
    new: range


class _Chain(NamedTuple):
    """A linked list of pairs in order, from the last to the first."""

    old: int
    new: int
    before: _Chain | None


def in_order(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[tuple[int, int]]:
    """
    Return the positions of as many equal items as possible in the same order in both lists.

    Of several results, earlier items of *old* are preferred. If items are repeated too often,
    items that occur once are matched first, then the others between them, and the result may
    not be the longest.

    >>> in_order("abcd", "cdab")
    [(0, 2), (1, 3)]
    """
    matching = _Matching(old, new)
    matching.match(range(len(old)), range(len(new)), _MOST_CUTS)
    return matching.matched


def gaps(matched: Sequence[tuple[int, int]], old: int, new: int) -> Iterator[Gap]:
    """Yield the gaps between the pairs of *matched*, for lists with *old* and *new* items."""
    i = j = 0
    for one, other in (*matched, (old, new)):
        if i < one or j < other:
            yield Gap(range(i, one), range(j, other))
        i, j = one + 1, other + 1


class _Matching:
    """One comparison: the pairs found so far, and the number of pairs that may be compared."""

    def __init__(self, old: Sequence[Hashable], new: Sequence[Hashable]) -> None:
        self._old, self._new = old, new
        self._left = _MOST_PAIRS
        self.matched: list[tuple[int, int]] = []

    def match(self, olds: range, news: range, cuts: int) -> None:
        """Add the pairs of these ranges of both lists."""
        start = self._common(olds, news)
        end = self._common(olds[start:][::-1], news[start:][::-1])
        self.matched += zip(olds[:start], news[:start], strict=True)
        self._middle(olds[start : len(olds) - end], news[start : len(news) - end], cuts)
        self.matched += zip(olds[len(olds) - end :], news[len(news) - end :], strict=True)

    def _middle(self, olds: range, news: range, cuts: int) -> None:
        places: dict[Hashable, list[int]] = {}
        for place in olds:
            places.setdefault(self._old[place], []).append(place)
        items = [self._new[place] for place in news]
        partners: list[Sequence[int]] = [places.get(item, ()) for item in items]
        pairs = sum(map(len, partners))
        if pairs <= self._left:
            self._left -= pairs
            self.matched += _longest(partners, news.start)
            return
        counts = Counter(items)
        once = [
            each if counts[item] == len(each) == 1 else ()
            for item, each in zip(items, partners, strict=True)
        ]
        anchors = _longest(once, news.start) if cuts else []
        if not anchors:
            self.matched += _longest(list(_copies(places, items)), news.start)
            return
        i, j = olds.start, news.start
        for old, new in (*anchors, (olds.stop, news.stop)):
            self.match(range(i, old), range(j, new), cuts - 1)
            if old < olds.stop:
                self.matched.append((old, new))
            i, j = old + 1, new + 1

    def _common(self, olds: range, news: range) -> int:
        """Return the number of equal items at the beginning of these ranges."""
        count = 0
        for old, new in zip(olds, news, strict=False):
            if self._old[old] != self._new[new]:
                break
            count += 1
        return count


def _copies(
    places: Mapping[Hashable, Sequence[int]], new: Sequence[Hashable]
) -> Iterator[Sequence[int]]:
    """Yield for each item of *new* the position of its counterpart in *old*, copy by copy."""
    seen: dict[Hashable, int] = {}
    for item in new:
        copy = seen.get(item, 0)
        seen[item] = copy + 1
        yield places.get(item, ())[copy : copy + 1]


def _longest(partners: Sequence[Sequence[int]], start: int) -> list[tuple[int, int]]:
    """Return the longest ascending chain of *partners*, for positions from *start* on."""
    # By length: the smallest position at which a chain ends, and that chain.
    ends: list[int] = []
    chains: list[_Chain] = []
    for new, olds in enumerate(partners, start):
        # In reverse, so that a chain has at most one partner of each position of *new*.
        for place in reversed(olds):
            length = bisect_left(ends, place)
            chain = _Chain(place, new, chains[length - 1] if length else None)
            if length == len(ends):
                ends.append(place)
                chains.append(chain)
            elif place < ends[length]:
                ends[length] = place
                chains[length] = chain
    matched: list[tuple[int, int]] = []
    last = chains[-1] if chains else None
    while last is not None:
        matched.append((last.old, last.new))
        last = last.before
    return matched[::-1]
