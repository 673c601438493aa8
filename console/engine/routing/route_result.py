"""Route result: the queue and priority that a workload gets, or why it reaches no queue."""

from __future__ import annotations

from dataclasses import dataclass, field

from console.engine.disciplines.quota.spec import Undeclared, spec_of
from console.engine.model.common_reasons import QUEUE_STOPPED
from console.engine.model.decision import Outcome
from console.engine.model.policy import Policy
from console.engine.model.reasons import Reason
from console.engine.model.workload import Workload
from console.engine.routing.reasons import (
    LOCAL_QUEUE_MISSING,
    NAMESPACE_NOT_ALLOWED,
    NO_RULE_MATCHED,
    NO_RULES,
    PRIORITY_CLASS_MISSING,
)
from console.engine.routing.router import Route, Router, flavor_rejection

#: Problems of local queues that keep a workload out of every queue under the present config.
_NOWHERE = frozenset(
    {
        LOCAL_QUEUE_MISSING,
        PRIORITY_CLASS_MISSING,
        NAMESPACE_NOT_ALLOWED,
        QUEUE_STOPPED,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteResult:
    """
    Where the rules or local queues of a config route one workload.

    A queue counts as reached even if it is stopped or has too little quota. It does not if the
    local queue that leads to it is stopped, because its workloads enter no pending queue, or if
    none of its flavors accepts the workload's labels, because the workload is then rejected.
    """

    policy: Policy = field(repr=False)
    workload: Workload
    route: Route
    #: None: it reaches none.
    queue: str | None
    #: Effective priority; None when it has none.
    priority: int | None
    #: Why it reaches no queue; None when it does.
    reason: Reason | None = None

    @property
    def is_refused(self) -> bool:
        """Whether no queue takes it; without any rules everything is admitted, queue or not."""
        return self.queue is None and self.reason is not NO_RULES

    @property
    def outcome(self) -> Outcome:
        """The outcome for a workload that reaches no queue."""
        if self.reason is NO_RULES:
            return Outcome.ADMITTED
        return Outcome.PENDING if self.reason in _NOWHERE else Outcome.REJECTED


def land(policy: Policy, workload: Workload, router: Router | None = None) -> RouteResult:
    """Return the route result of *workload* under *policy*; *router* must be of the same policy."""
    route = (router or Router(policy)).route(workload)
    queue, reason = _reached(policy, workload, route)
    return RouteResult(
        policy=policy,
        workload=workload,
        route=route,
        queue=queue,
        priority=route.priority,
        reason=reason,
    )


def accepted_flavors(route_result: RouteResult) -> tuple[str, ...]:
    """Return the flavors of the queue that accept the workload's labels, in order of trying."""
    queue = spec_of(route_result.policy).queues.get(route_result.queue or "")
    if queue is None:
        return ()
    accepted = (
        entry.flavor
        for group, failures in zip(queue.groups, route_result.route.matches, strict=False)
        for entry, failed in zip(group.flavors, failures, strict=True)
        if failed is None
    )
    return tuple(dict.fromkeys(accepted))


def _reached(policy: Policy, workload: Workload, route: Route) -> tuple[str | None, Reason | None]:
    if route.problem in _NOWHERE:
        return None, route.problem
    if route.queue is None:
        return None, NO_RULE_MATCHED if policy.rules else NO_RULES
    if spec_of(policy).settings.undeclared is Undeclared.IGNORE:
        refused = flavor_rejection(route, spec_of(policy).queues[route.queue], workload.total())
        if refused is not None:
            return None, refused
    return route.queue, None
