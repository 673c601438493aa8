"""Where a shape stands under one policy: its route, and whether it could ever start there alone."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from console.engine.disciplines import load_discipline
from console.engine.model.amounts import Usage
from console.engine.model.common_reasons import QUEUE_MISCONFIGURED, QUEUE_STOPPED
from console.engine.model.policy import Policy
from console.engine.model.reasons import Reason
from console.engine.model.route import Route
from console.engine.model.workload import Workload, constraints_of
from console.engine.state import State


class Fit(StrEnum):
    """What becomes of a workload that has the whole world to itself."""

    #: It starts, and no quota is counted for it.
    UNCOUNTED = "uncounted"
    #: It starts within the nominal quota of its queue.
    NOMINAL = "nominal"
    #: It starts with quota that its cohort lends.
    BORROWS = "borrows"
    #: It asks for more than its queue may ever have.
    NEVER = "never"
    #: Its queue is stopped, or a flavor of it is not described.
    CLOSED = "closed"
    #: It waits in no queue, until somebody corrects its labels or the config.
    STRANDED = "stranded"
    #: No rule takes it, or no flavor does.
    REJECTED = "rejected"

    @property
    def starts(self) -> bool:
        """Whether it starts once there is room."""
        return self in (Fit.UNCOUNTED, Fit.NOMINAL, Fit.BORROWS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where a workload goes under one policy, and what becomes of it there."""

    queue: str | None
    #: Index of the rule that takes it, from 0; None when none does, or local queues route.
    rule: int | None
    priority: int | None
    fit: Fit
    reason: Reason


#: All of a workload's request that decides about its fit in one queue.
Request: TypeAlias = tuple[object, ...]


class Judge:
    """
    Judges workloads under one policy, each as if nothing else ran.

    Requests that are alike for admission are tried once; the engine itself tries them.
    """

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self._empty = State(policy, is_sparse=True)
        self._eligibility = load_discipline(policy.discipline).eligibility(policy)
        self._tried: dict[tuple[object, ...], tuple[Fit, Reason]] = {}

    def standing(self, workload: Workload, request: Request) -> Standing:
        """Return where *workload* stands; *request* is `request_of` it."""
        route = self._empty.route(workload)
        queue = self.policy.queues.get(route.queue or "")
        allowed = self._eligibility.allowed(workload, queue) if queue is not None else ()
        key = (route.queue, route.problem, allowed, request)
        found = self._tried.get(key)
        if found is None:
            found = self._tried[key] = self._try(workload, route)
        fit, reason = found
        return Standing(
            queue=route.queue, rule=route.rule, priority=route.priority, fit=fit, reason=reason
        )

    def _try(self, workload: Workload, route: Route) -> tuple[Fit, Reason]:
        state = self._empty
        state.submit(workload)
        reason = state.settle()[-1].reason
        running = state.running.get(workload.id)
        if running is not None:
            fit = self._quota_taken(route.queue, running.usage)
        elif workload.id not in state.pending:
            fit = Fit.REJECTED
        elif route.problem is not None:
            fit = Fit.STRANDED
        elif reason in (QUEUE_STOPPED, QUEUE_MISCONFIGURED):
            fit = Fit.CLOSED
        else:
            fit = Fit.NEVER
        state.finish(workload.id)
        state.settle()
        return fit, reason

    def _quota_taken(self, queue: str | None, usage: Usage) -> Fit:
        if queue is None or not usage:
            return Fit.UNCOUNTED
        account = self._empty.queue(queue).account
        within = all(amount <= account.guaranteed(key) for key, amount in usage.items())
        return Fit.NOMINAL if within else Fit.BORROWS


def request_of(workload: Workload) -> Request:
    """Return what two workloads of one route share that are tried alike."""
    return tuple(
        (
            each.name,
            each.count,
            each.min_count,
            each.group,
            tuple(sorted(each.requests.items())),
            constraints_of(each),
        )
        for each in workload.pod_sets
    )
