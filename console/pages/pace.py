"""How long a live page rests before it is rendered again: the longer, the busier the process is."""

from __future__ import annotations

import time
from typing import Final

#: So many times what rendering took, in a process that has nothing else to do.
_TIMES: Final = 50
#: Milliseconds that a page rests at least and at most.
LEAST, MOST = 2_000, 10_000

#: Seconds over which it is seen how busy this process is.
_WINDOW: Final = 2.0

#: Moment and seconds of a core used, when a look began that counts and when the one before did.
_looks: list[tuple[float, float]] = []


def rest_of(took: float, busy: float) -> int:
    """
    Return for how many milliseconds a page rests whose rendering *took* so many.

    *busy* is the share of a core that the process uses. At half of it a page rests four
    times as long as in one that is idle, so that there is always room for whoever opens one.
    """
    room = max(0.05, 1 - busy)
    return int(min(max(LEAST, _TIMES * took / room**2), MOST))


def busy_share() -> float:
    """Return the share of a core that this process used in the last seconds; 0 at first."""
    now, used = time.monotonic(), time.process_time()
    if not _looks or now - _looks[-1][0] >= _WINDOW:
        _looks.append((now, used))
        del _looks[:-2]
    since, before = _looks[0]
    return (used - before) / (now - since) if now - since >= _WINDOW else 0.0
