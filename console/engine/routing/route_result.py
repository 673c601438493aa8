"""Finds the route result of a workload: its route, and whether the queue accepts it."""

from __future__ import annotations

from console.engine.disciplines import load_discipline
from console.engine.model.policy import Policy
from console.engine.model.route_result import RouteResult
from console.engine.model.workload import Workload
from console.engine.routing.reasons import NO_RULES
from console.engine.routing.router import Router


def find_route_result(
    policy: Policy, workload: Workload, router: Router | None = None
) -> RouteResult:
    """Return the route result of *workload* under *policy*; *router* must be of the same policy."""
    route = (router or Router(policy)).route(workload)
    if route.queue is None:
        return RouteResult(
            policy=policy,
            workload=workload,
            route=route,
            queue=None,
            priority=route.priority,
            reason=route.problem or route.rejection or NO_RULES,
        )
    queue = policy.queue(route.queue)
    assert queue is not None
    judge = load_discipline(policy.discipline).eligibility(policy)
    reason = route.problem or judge.rejection(workload, queue)
    return RouteResult(
        policy=policy,
        workload=workload,
        route=route,
        queue=route.queue if reason is None else None,
        priority=route.priority,
        reason=reason,
    )


def accepted_flavors(route_result: RouteResult) -> tuple[str, ...]:
    """Return the flavors of the reached queue that accept the workload's labels, in order."""
    policy = route_result.policy
    queue = policy.queue(route_result.queue)
    if queue is None:
        return ()
    judge = load_discipline(policy.discipline).eligibility(policy)
    return judge.accepted(route_result.workload, queue)
