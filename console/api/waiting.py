"""
Requests that wait for something to happen, so that nobody has to ask again and again.

A web process serves three requests at once, of which one may wait: the next one is answered at
once, as if nobody could wait.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock
from typing import Final

#: Seconds that a request may wait: no longer than a process has left that is told to end.
MOST_SECONDS: Final = 2

#: Seconds between two looks, and after how many of waiting they become rarer.
_SOON, _LATER, _PATIENCE = 0.005, 0.025, 0.5

_waiting = Lock()


def wait_for(is_there: Callable[[], bool], seconds: float) -> None:
    """Return as soon as *is_there* says so, after *seconds*, or when another request waits here."""
    if not seconds or not _waiting.acquire(blocking=False):
        return
    try:
        begun = time.monotonic()
        while not is_there() and (waited := time.monotonic() - begun) < seconds:
            time.sleep(_SOON if waited < _PATIENCE else _LATER)
    finally:
        _waiting.release()
