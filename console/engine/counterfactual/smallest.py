"""The least number that is enough, found by halving, and the units that amounts are asked in."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from console.engine.counterfactual.proof import Started

#: What amounts are asked for in: Gi and Mi of bytes, whole units, thousandths.
UNITS = (2**30 * 1000, 2**20 * 1000, 1000, 1)


def least(low: int, high: int, works: Callable[[int], bool]) -> int:
    """Return the least number above *low*, which does not work, up to *high*, which does."""
    while high - low > 1:
        middle = (low + high) // 2
        if works(middle):
            high = middle
        else:
            low = middle
    return high


def least_start(
    low: int, high: int, started: Started, starts: Callable[[int], Started | None]
) -> tuple[int, Started]:
    """Return the least number above *low*, which does not start it, up to *high*, as proven."""
    while high - low > 1:
        middle = (low + high) // 2
        found = starts(middle)
        if found is None:
            low = middle
        else:
            high, started = middle, found
    return high, started


def units_of(amount: int) -> Iterator[int]:
    """Yield the units of which *amount* is a multiple, the largest first."""
    yield from (unit for unit in UNITS if amount and amount % unit == 0)
