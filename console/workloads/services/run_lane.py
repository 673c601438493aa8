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

log = structlog.get_logger("console.engine")


def run_lane(lane: str) -> None:
    """
    Decide for one nudged organization after the other until nobody waits, or for a turn.

    Who has work left waits again, behind all others; not while another process runs that engine,
    for it looks again before it leaves, and asking would only keep two of them knocking until then.
    """
    deadline = time.monotonic() + TURN
    try:
        while (org_id := nudge.take(lane)) is not None:
            if _is_cut_short(org_id):
                nudge.put(org_id, lane)
            if time.monotonic() >= deadline:
                break
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
