"""Memory of a web process: what large requests leave in it, and what goes back to the system."""

from __future__ import annotations

import ctypes
import gc

import psutil
from django.core.signals import request_finished

#: Bytes by which a process may grow until all of its objects are looked at again.
_GROWTH = 64 * 1024 * 1024

#: Options of mallopt(3): from which size on a buffer has pages of its own, which go back to the
#: system when it is freed, and in how many places threads may get smaller ones.
_MMAP_THRESHOLD, _ARENA_MAX = -3, -8
_LARGE = 128 * 1024
_ARENAS = 2


def collect_after_large_requests() -> None:
    """
    Look for cycles among all that a request made, in a process that answers expensive ones.

    An explanation makes states of tens of thousands of objects, whose trees and queues refer to
    each other. They outlive the looks at the youngest objects while their request goes on, and
    would then stay for hundreds of requests. Call it where requests are few and may take long.
    """
    grown_to = _resident()

    def collect(**_: object) -> None:
        nonlocal grown_to
        gc.collect(1)
        if _resident() > grown_to + _GROWTH:
            gc.collect()
            grown_to = _resident()

    # Signals hold on to what they call only weakly.
    request_finished.connect(collect, weak=False)


def return_large_buffers() -> None:
    """
    Have the C library give the memory of large buffers back when they are freed.

    By itself it learns from a freed buffer that others of that size will come, and keeps their
    memory, once for each thread: bodies and answers of a megabyte then cost hundreds. Without
    mallopt, as with another C library, nothing changes.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_MMAP_THRESHOLD, _LARGE)
        mallopt(_ARENA_MAX, _ARENAS)


def _resident() -> int:
    """Return how many bytes of this process are in memory."""
    resident: int = psutil.Process().memory_info().rss
    return resident
