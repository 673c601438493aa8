"""
The pace of the machine: whether somebody else slows it down at this moment.

Milliseconds are measured on machines that others share. What a request took is worth nothing
while the same few lines of work take longer than usual; it is measured again then. That is
decided by those lines alone, never by what the request took.
"""

from __future__ import annotations

import random
import time

#: As much slower than its best may the machine be.
_SLOWER = 1.15

_KEYS = [str(number) for number in range(50_000)]
random.Random(1).shuffle(_KEYS)
_WORK = {key: len(key) for key in _KEYS}
_LOOKED_UP = _KEYS[:15_000]


class Pace:
    """Compares the machine with the best that it has shown."""

    def __init__(self) -> None:
        self._best = min(_milliseconds() for _ in range(20))

    @property
    def is_usual(self) -> bool:
        """Whether the machine is about as fast as it can be, right now."""
        took = _milliseconds()
        self._best = min(self._best, took)
        return took <= self._best * _SLOWER


def _milliseconds() -> float:
    """Look up keys in no order, so that memory that others use up is noticed, too."""
    took = []
    # The first ones bring the keys back into the caches.
    for _ in range(5):
        start = time.perf_counter()
        sum(_WORK[key] for key in _LOOKED_UP)
        took.append((time.perf_counter() - start) * 1000)
    return min(took)
