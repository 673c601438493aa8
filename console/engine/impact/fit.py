"""The standing of a recorded shape under one policy: its route, and whether it can ever start."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from console.engine.disciplines import load_discipline
from console.engine.model.amounts import Usage
from console.engine.model.common_reasons import QUEUE_MISCONFIGURED, QUEUE_STOPPED
from console.engine.model.inventory import Inventory
from console.engine.model.policy import Policy
from console.engine.model.reasons import Reason
from console.engine.model.route import Route
from console.engine.model.workload import Workload, constraints_of
from console.engine.state import State


class Fit(StrEnum):
    """The result for a workload if nothing else runs."""

    #: It starts without quota.
    UNCOUNTED = "uncounted"
    #: It starts within the nominal quota of its queue.
    NOMINAL = "nominal"
    #: It starts with borrowed quota.
    BORROWS = "borrows"
    #: It requests more than its queue may ever use.
    NEVER = "never"
    #: Its queue is stopped, or the policy does not define a flavor of the queue.
    CLOSED = "closed"
    #: It is pending in no queue, until its labels or the config are corrected.
    STRANDED = "stranded"
    #: No rule or no flavor accepts it.
    REJECTED = "rejected"

    @property
    def starts(self) -> bool:
        """Whether the workload can start."""
        return self in (Fit.UNCOUNTED, Fit.NOMINAL, Fit.BORROWS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The route of a workload under one policy, and its fit in the queue."""

    queue: str | None
    #: Index of the matching rule, from 0; None without one, or under routing by local queues.
    rule: int | None
    priority: int | None
    fit: Fit
    reason: Reason


#: The part of a workload's request that determines its fit in one queue.
Request: TypeAlias = tuple[object, ...]


class StandingEvaluator:
    """
    Evaluates workloads under one policy, each as if nothing else ran.

    Requests that are equal for admission are tried once, in an empty state of the engine.
    """

    def __init__(self, policy: Policy, inventory: Inventory | None = None) -> None:
        self.policy = policy
        self._empty = State(policy, is_sparse=True)
        if inventory is not None:
            self._empty.change_inventory(inventory)
        self._eligibility = load_discipline(policy.discipline).eligibility(policy)
        self._tried: dict[tuple[object, ...], tuple[Fit, Reason]] = {}

    def standing(self, workload: Workload, request: Request) -> Standing:
        """Return the standing of *workload*; *request* is its `request_of`."""
        route = self._empty.route(workload)
        queue = self.policy.queue(route.queue)
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
    """Return a key that is equal for workloads with the same result on the same route."""
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
