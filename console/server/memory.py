"""Memory of a web process: what the C library keeps of it once it is free."""

from __future__ import annotations

import ctypes

#: Options of mallopt(3): from which size on a buffer has pages of its own, which go back to the
#: system when it is freed, and in how many places threads may get smaller ones.
_MMAP_THRESHOLD, _ARENA_MAX = -3, -8
_LARGE = 128 * 1024
_ARENAS = 2


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
