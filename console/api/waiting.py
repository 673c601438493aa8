"""
Long polling: requests that wait until a result is available.

A web process serves three requests at once, and one of them may wait. A second waiting request
gets its response immediately.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock
from typing import Final

#: Maximum wait in seconds; not longer than the grace period of a process that shuts down.
MOST_SECONDS: Final = 2

#: Polling intervals in seconds, and the elapsed seconds after which the longer one is used.
_SOON, _LATER, _PATIENCE = 0.005, 0.025, 0.5

_waiting = Lock()


def wait_for(is_ready: Callable[[], bool], seconds: float) -> None:
    """Return when *is_ready* is true, after *seconds*, or at once if another request waits."""
    if not seconds or not _waiting.acquire(blocking=False):
        return
    try:
        begun = time.monotonic()
        while not is_ready() and (waited := time.monotonic() - begun) < seconds:
            time.sleep(_SOON if waited < _PATIENCE else _LATER)
    finally:
        _waiting.release()
