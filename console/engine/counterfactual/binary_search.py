"""Binary search for the smallest sufficient number, and the units of amounts."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from console.engine.counterfactual.proof import Started

#: Units of amounts in thousandths: Gi and Mi of bytes, whole units, thousandths.
UNITS = (2**30 * 1000, 2**20 * 1000, 1000, 1)


def least(low: int, high: int, works: Callable[[int], bool]) -> int:
    """Return the smallest number that works; *low* does not work, *high* does."""
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
    """Return the smallest number that starts it, with the proof; *low* does not, *high* does."""
    while high - low > 1:
        middle = (low + high) // 2
        found = starts(middle)
        if found is None:
            low = middle
        else:
            high, started = middle, found
    return high, started


def units_of(amount: int) -> Iterator[int]:
    """Yield the units that divide *amount*, the largest first."""
    yield from (unit for unit in UNITS if amount and amount % unit == 0)
