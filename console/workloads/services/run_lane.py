"""Run the engines of a lane: of everybody who is nudged there, the longest waiting first."""

from __future__ import annotations

import time
from typing import Final

import structlog

from console.workloads import nudge
from console.workloads.services.run_engine import run_engine

#: Seconds after which a lane makes room for the other queues of its worker. Few, for a worker may
#: have all eight: what the clock asks for, such as the sweep, waits for a turn of each.
TURN: Final = 0.05

#: How many times as long as it ran who has work left gives way to whoever waits in the lanes of its
#: worker. So a backlog has a third of the worker beside many others, and all of it when nobody else
#: waits.
GIVES_WAY: Final = 2

#: Seconds until it is looked again whether others still wait: another worker may be at them.
PAUSE: Final = 0.005

log = structlog.get_logger("console.engine")


def run_lane(lane: str) -> None:
    """
    Decide for one nudged organization after the other until nobody waits, or for a turn.

    Who has work left waits again and gives way to all others; not while another process runs that
    engine, for it looks again before it leaves, and asking would only keep two of them knocking
    until then.
    """
    begun = time.monotonic()
    deadline = begun + TURN
    try:
        while (taken := nudge.take(lane)).org_id is not None:
            is_cut_short = _is_cut_short(taken.org_id)
            ended = time.monotonic()
            if is_cut_short:
                nudge.put_back(taken.org_id, lane, GIVES_WAY * (ended - begun))
            if ended >= deadline:
                break
            begun = ended
        if taken.gives_way_to:
            # Perhaps another worker is at that lane, and no message for those who wait there.
            nudge.leave(taken.gives_way_to)
            time.sleep(PAUSE)
    finally:
        nudge.leave(lane)


def _is_cut_short(org_id: int) -> bool:
    try:
        return run_engine(org_id).is_cut_short
    except Exception:
        # The task's own line names the lane alone. The sweep nudges this one again, and it keeps
        # none of the others waiting.
        log.warning("engine failed", org_id=org_id)
        raise
