"""Reuse time of rendered live pages; it grows with the load of the server."""

from __future__ import annotations

from typing import Final

#: Reuse time as a multiple of the rendering time, if rendering had no waits.
_FACTOR: Final = 100
#: Minimum and maximum reuse time in milliseconds.
LEAST, MOST = 2_000, 10_000


def reuse_time(took: float, worked: float) -> int:
    """
    Return for how many milliseconds a page is reused if its rendering *took* this many.

    *worked* of these were processor time; the others were waits for a core or the database. If
    half of the time was waits, the page is reused four times as long as without waits, which
    leaves capacity for pages that are opened.
    """
    waited = max(1.0, took / max(worked, 1.0))
    return int(min(max(LEAST, _FACTOR * took * waited), MOST))
