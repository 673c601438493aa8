"""
Detection of a slow machine, so that disturbed measurements can be repeated.

Measurements run on shared machines. While a fixed piece of work takes longer than usual, the
durations of requests mean nothing, and they are measured again. That work alone decides, never the
duration of a request.
"""

from __future__ import annotations

import random
import time

#: Factor by which the machine may be slower than its best time.
_SLOWER = 1.15

_KEYS = [str(number) for number in range(50_000)]
random.Random(1).shuffle(_KEYS)
_WORK = {key: len(key) for key in _KEYS}
_LOOKED_UP = _KEYS[:15_000]


class Pace:
    """Compares the speed of the machine with the best one so far."""

    def __init__(self) -> None:
        self._best = min(_milliseconds() for _ in range(20))

    @property
    def is_usual(self) -> bool:
        """Whether the machine is now about as fast as at its best."""
        took = _milliseconds()
        self._best = min(self._best, took)
        return took <= self._best * _SLOWER


def _milliseconds() -> float:
    """Look up keys in random order, so that contention for memory is noticed, too."""
    took = []
    # The first lookups bring the keys back into the caches.
    for _ in range(5):
        start = time.perf_counter()
        sum(_WORK[key] for key in _LOOKED_UP)
        took.append((time.perf_counter() - start) * 1000)
    return min(took)
