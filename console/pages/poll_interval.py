"""How long a live page rests before it is rendered again: the longer, the busier the server is."""

from __future__ import annotations

from typing import Final

#: So many times what rendering took, where nothing else had to be waited for.
_TIMES: Final = 100
#: Milliseconds that a page rests at least and at most.
LEAST, MOST = 2_000, 10_000


def rest_of(took: float, worked: float) -> int:
    """
    Return for how many milliseconds a page rests whose rendering *took* so many.

    In *worked* of these a core worked on it, and otherwise it waited, for a core or for the
    database. Where it waited half of the time a page rests four times as long as where it did
    not, so that there is always room for whoever opens one.
    """
    waited = max(1.0, took / max(worked, 1.0))
    return int(min(max(LEAST, _TIMES * took * waited), MOST))
