"""How long a live page rests before it is rendered again: the longer, the busier the server is."""

from __future__ import annotations

from typing import Final

#: So many times what rendering took, where nothing else had to be waited for.
_TIMES: Final = 100
#: Milliseconds that a page rests at least and at most.
LEAST, MOST = 2_000, 10_000


def rest_of(took: float, worked: float) -> int:
    """
    Return for how many milliseconds a page is reused whose rendering *took* so many.

    *worked* of these were processor time; the others were waits for a core or the database. If
    half of the time was waits, the page is reused four times as long as without waits, which
    leaves capacity for pages that are opened.
    """
    waited = max(1.0, took / max(worked, 1.0))
    return int(min(max(LEAST, _TIMES * took * waited), MOST))
