"""Finds pending workloads that another policy would reject, by routing one of each kind."""

from __future__ import annotations

from console.engine.model.consequences import ConsequenceCode, Finding
from console.engine.model.decision import Outcome
from console.engine.model.history import Backlog
from console.engine.model.policy import Policy
from console.engine.model.route_result import RouteResult
from console.engine.routing.route_result import find_route_result
from console.engine.routing.router import Router


def find_rejected_pending(old: Policy, new: Policy, backlog: Backlog) -> Finding | None:
    """
    Return a finding about workloads of *backlog* that only *new* rejects, or None if none.

    Its names are the queues in which they are pending now.
    """
    before, after = Router(old), Router(new)
    rejected = [
        kind
        for kind in backlog.kinds
        if _is_rejected(find_route_result(new, kind.workload, after))
        and not _is_rejected(find_route_result(old, kind.workload, before))
    ]
    if not rejected:
        return None
    return Finding(
        code=ConsequenceCode.PENDING_REJECTED,
        names=tuple(sorted({kind.queue for kind in rejected if kind.queue is not None})),
        pending=sum(kind.count for kind in rejected),
        is_exact=backlog.is_whole,
    )


def _is_rejected(route_result: RouteResult) -> bool:
    return route_result.is_refused and route_result.outcome is Outcome.REJECTED
