"""Run the engines of a shard for all organizations with a wakeup, the longest waiting first."""

from __future__ import annotations

import time
from typing import Final

import structlog

from console.workloads import wakeup
from console.workloads.services.run_engine import run_engine

#: Seconds after which a shard makes room for the other queues of its worker. Few, for a worker may
#: have all eight: what the clock asks for, such as the sweep, waits for a turn of each.
TURN: Final = 0.05

#: An organization that has work left lets others in the shards of its worker go first for as many
#: times as long as it ran. So a backlog has a third of the worker beside many other organizations,
#: and the whole worker when no other one waits.
GIVES_WAY: Final = 2

#: Seconds until it is looked again whether others still wait: another worker may be at them.
PAUSE: Final = 0.005

log = structlog.get_logger("console.engine")


def run_shard(shard: str) -> None:
    """
    Decide for one nudged organization after the other until nobody waits, or for a turn.

    Who has work left waits again and gives way to all others; not while another process runs that
    engine, for it looks again before it leaves, and asking would only keep two of them knocking
    until then.
    """
    begun = time.monotonic()
    deadline = begun + TURN
    try:
        while (taken := wakeup.take(shard)).org_id is not None:
            is_cut_short = _is_cut_short(taken.org_id)
            ended = time.monotonic()
            if is_cut_short:
                wakeup.put_back(taken.org_id, shard, GIVES_WAY * (ended - begun))
            if ended >= deadline:
                break
            begun = ended
        if taken.gives_way_to:
            # Another worker may run the shard, without a message for the waiting organizations.
            wakeup.leave(taken.gives_way_to)
            time.sleep(PAUSE)
    finally:
        wakeup.leave(shard)


def _is_cut_short(org_id: int) -> bool:
    try:
        return run_engine(org_id).is_cut_short
    except Exception:
        # The task's own line names the shard alone. The sweep nudges this one again, and it keeps
        # none of the others waiting.
        log.warning("engine failed", org_id=org_id)
        raise
