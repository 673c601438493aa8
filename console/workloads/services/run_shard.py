"""Run the engines of a shard for all organizations with a wakeup, the longest waiting first."""

from __future__ import annotations

import time
from typing import Final

import structlog

from console.workloads import wakeup
from console.workloads.services.run_engine import run_engine

#: Seconds after which a shard gives way to other queues of its worker. Few, because a worker may
#: serve all eight shards, and periodic tasks such as the sweep wait for a turn of each.
TURN: Final = 0.05

#: Ratio of the time for which an organization with remaining work gives way to others in the
#: shards of its worker, to the time that it ran. So a backlog gets a third of the worker beside
#: many other organizations, and the whole worker if no other one waits.
GIVES_WAY: Final = 2

#: Seconds until the next check for waiting organizations; another worker may process them.
PAUSE: Final = 0.005

log = structlog.get_logger("console.engine")


def run_shard(shard: str) -> None:
    """
    Run the engines of organizations with a wakeup, one by one, until none waits or for a turn.

    An organization with remaining work is put back and gives way to all others. It is not put back
    if another process runs its engine: that process checks for work again after its release, and
    two processes would only compete for the lease until then.
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
            # Another worker may have taken the shard's message and process it.
            wakeup.reschedule(taken.gives_way_to)
            time.sleep(PAUSE)
    finally:
        wakeup.reschedule(shard)


def _is_cut_short(org_id: int) -> bool:
    try:
        return run_engine(org_id).is_cut_short
    except Exception:
        # The log line of the task contains only the shard. The sweep wakes this organization up
        # again, and it does not delay the others.
        log.warning("engine failed", org_id=org_id)
        raise
