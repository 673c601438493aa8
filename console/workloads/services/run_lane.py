"""Run the engines of a lane: of everybody who is nudged there, the longest waiting first."""

from __future__ import annotations

import time
from typing import Final

from console.workloads import nudge
from console.workloads.services.run_engine import run_engine

#: Seconds after which a lane makes room for the other queues of its worker: many small ones in a
#: row are not to be in front of other lanes, and of what the clock asks for.
TURN: Final = 0.2


def run_lane(lane: str) -> None:
    """
    Decide for one nudged organization after the other until nobody is left, or for a turn.

    Who has work left goes to the end of the list; not while another process runs that engine, for
    it looks again before it leaves, and asking would only keep two of them knocking until it does.
    """
    deadline = time.monotonic() + TURN
    while (org_id := nudge.next_of(lane)) is not None:
        try:
            if run_engine(org_id).is_cut_short:
                nudge.send(org_id)
        except BaseException:
            # The sweep asks for this one again; it keeps none of the others waiting.
            nudge.wake(lane)
            raise
        if time.monotonic() >= deadline:
            nudge.wake(lane)
            return
