"""Landing: the queue and priority that a workload ends up with, or why it reaches no queue."""

from __future__ import annotations

from dataclasses import dataclass, field

from console.engine.decision import Outcome, Reason
from console.engine.policy import Policy, Undeclared
from console.engine.routing import Route, Router, flavor_rejection
from console.engine.workload import Workload

#: Problems of local queues: the workload waits in no queue for as long as this config holds.
_NOWHERE = frozenset(
    {
        Reason.LOCAL_QUEUE_MISSING,
        Reason.PRIORITY_CLASS_MISSING,
        Reason.NAMESPACE_NOT_ALLOWED,
        Reason.QUEUE_STOPPED,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Landing:
    """
    Where the rules or local queues of a config put one workload.

    A queue that is stopped or has too little quota is reached all the same. One that a stopped
    local queue leads to is not, since what names that waits in no line; nor is one whose flavors
    all refuse the workload's labels, which rejects it.
    """

    policy: Policy = field(repr=False)
    workload: Workload
    route: Route
    #: None: it reaches none.
    queue: str | None
    #: Effective priority; None when nothing gave it one.
    priority: int | None
    #: Why it reaches no queue; None when it does.
    reason: Reason | None = None

    @property
    def is_refused(self) -> bool:
        """Whether nothing takes it; without any rules everything is admitted, queue or not."""
        return self.queue is None and self.reason is not Reason.NO_RULES

    @property
    def outcome(self) -> Outcome:
        """What is decided about one that reaches no queue."""
        if self.reason is Reason.NO_RULES:
            return Outcome.ADMITTED
        return Outcome.PENDING if self.reason in _NOWHERE else Outcome.REJECTED


def land(policy: Policy, workload: Workload, router: Router | None = None) -> Landing:
    """Return where *workload* lands under *policy*; *router* is one of the same policy."""
    route = (router or Router(policy)).route(workload)
    queue, reason = _reached(policy, workload, route)
    return Landing(
        policy=policy,
        workload=workload,
        route=route,
        queue=queue,
        priority=route.priority,
        reason=reason,
    )


def accepted_flavors(landing: Landing) -> tuple[str, ...]:
    """Return the flavors of the queue that accept the workload's labels, in order of trying."""
    queue = landing.policy.queues.get(landing.queue or "")
    if queue is None:
        return ()
    accepted = (
        entry.flavor
        for group, failures in zip(queue.groups, landing.route.matches, strict=False)
        for entry, failed in zip(group.flavors, failures, strict=True)
        if failed is None
    )
    return tuple(dict.fromkeys(accepted))


def _reached(policy: Policy, workload: Workload, route: Route) -> tuple[str | None, Reason | None]:
    if route.problem in _NOWHERE:
        return None, route.problem
    if route.queue is None:
        return None, Reason.NO_RULE_MATCHED if policy.rules else Reason.NO_RULES
    if policy.settings.undeclared is Undeclared.IGNORE:
        refused = flavor_rejection(route, policy.queues[route.queue], workload.total())
        if refused is not None:
            return None, refused
    return route.queue, None
