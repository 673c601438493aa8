"""Pending work that another policy would turn away, found by routing one of each kind."""

from __future__ import annotations

from console.engine.consequences import ConsequenceCode, Finding
from console.engine.decision import Outcome
from console.engine.history import Backlog
from console.engine.landing import Landing, land
from console.engine.policy import Policy
from console.engine.routing import Router


def find_turned_away(old: Policy, new: Policy, backlog: Backlog) -> Finding | None:
    """
    Return what of *backlog* waits under *old* and is rejected by *new*; None when nothing is.

    Its names are the queues in which that work waits now.
    """
    before, after = Router(old), Router(new)
    rejected = [
        kind
        for kind in backlog.kinds
        if _is_rejected(land(new, kind.workload, after))
        and not _is_rejected(land(old, kind.workload, before))
    ]
    if not rejected:
        return None
    return Finding(
        code=ConsequenceCode.PENDING_REJECTED,
        names=tuple(sorted({kind.queue for kind in rejected if kind.queue is not None})),
        pending=sum(kind.count for kind in rejected),
        is_exact=backlog.is_whole,
    )


def _is_rejected(landing: Landing) -> bool:
    return landing.is_refused and landing.outcome is Outcome.REJECTED
