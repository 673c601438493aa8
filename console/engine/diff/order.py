"""Order: which equal items of two lists keep their order, as many as there can be."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import NamedTuple

#: Pairs of equal items that are weighed against each other. Only items that are there many times
#: over have more, and which of their copies is which then matters to nobody.
_MOST_PAIRS = 200_000


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
    repeated so often that there are too many to choose from, the first of equal ones is the
    first, the second the second, and there may be fewer than could be.

    >>> in_order("abcd", "cdab")
    [(0, 2), (1, 3)]
    """
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    kept = _longest(_partners(old, new, start, end), start)
    return [
        *((place, place) for place in range(start)),
        *kept,
        *((len(old) - left, len(new) - left) for left in range(end, 0, -1)),
    ]


def gaps(kept: Sequence[tuple[int, int]], old: int, new: int) -> Iterator[Gap]:
    """Yield what lies between the pairs of *kept* in lists of *old* and *new* items."""
    i = j = 0
    for one, other in (*kept, (old, new)):
        if i < one or j < other:
            yield Gap(range(i, one), range(j, other))
        i, j = one + 1, other + 1


def _partners(
    old: Sequence[Hashable], new: Sequence[Hashable], start: int, end: int
) -> list[Sequence[int]]:
    """Return for each place of *new* those of *old* it may be, common ends aside."""
    places: dict[Hashable, list[int]] = {}
    for place in range(start, len(old) - end):
        places.setdefault(old[place], []).append(place)
    found: list[Sequence[int]] = [places.get(item, ()) for item in new[start : len(new) - end]]
    if sum(map(len, found)) <= _MOST_PAIRS:
        return found
    return list(_copies(places, new[start : len(new) - end]))


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


def _common(one: Sequence[Hashable], other: Sequence[Hashable]) -> int:
    """Return how many items are equal from the beginning on."""
    count = 0
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            break
        count += 1
    return count
