"""Memory of web processes: garbage collection and the return of large buffers to the system."""

from __future__ import annotations

import ctypes
import gc

import psutil
from django.core.signals import request_finished

#: Bytes by which a process may grow before a full garbage collection.
_GROWTH = 64 * 1024 * 1024

#: Options of mallopt(3): the size from which a buffer has its own pages, which are returned to the
#: system when it is freed, and the number of arenas for smaller ones.
_MMAP_THRESHOLD, _ARENA_MAX = -3, -8
_LARGE = 128 * 1024
_ARENAS = 2


def collect_after_large_requests() -> None:
    """
    Collect garbage after each request, in a process that answers expensive requests.

    An explanation creates states of tens of thousands of objects, with reference cycles between
    trees and queues. They survive the collections of young generations during the request, and
    would then stay for hundreds of requests. For processes with few and slow requests only.
    """
    grown_to = _resident()

    def collect(**_: object) -> None:
        nonlocal grown_to
        gc.collect(1)
        if _resident() > grown_to + _GROWTH:
            gc.collect()
            grown_to = _resident()

    # By default, signals hold only weak references to receivers.
    request_finished.connect(collect, weak=False)


def return_large_buffers() -> None:
    """
    Have the C library return the memory of large buffers when they are freed.

    By default, glibc raises its threshold to the size of a freed buffer and keeps such memory in
    each thread's arena: request and response bodies of one megabyte then use hundreds. Without
    mallopt, as in other C libraries, this does nothing.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_MMAP_THRESHOLD, _LARGE)
        mallopt(_ARENA_MAX, _ARENAS)


def _resident() -> int:
    """Return the resident memory of this process in bytes."""
    resident: int = psutil.Process().memory_info().rss
    return resident
