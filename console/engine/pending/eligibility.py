"""Eligibility of workloads for a queue, with a cache by route, pod sets and labels."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Protocol

from console.engine.model.policy import Policy, Queue
from console.engine.model.reasons import Reason
from console.engine.model.route import Route
from console.engine.model.workload import PodSet, Workload
from console.engine.pending.pending_class import Pending, class_key

#: Maximum number of cached results. If labels are unique to each workload, none is used again.
_MOST_CACHED = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Eligibility:
    """The result of a discipline for workloads in a queue, without regard to quota."""

    #: Why the queue rejects them; None when it does not.
    rejection: Reason | None = None
    #: By pod set: the obstacles, in a form that only the discipline reads.
    obstacles: tuple[Any, ...] = ()
    #: Distinguishes their class from classes of workloads with the same request. Its `repr` is
    #: the same in every process.
    alike: tuple[object, ...] = ()


class Judge(Protocol):
    """Evaluates the eligibility of workloads under one policy."""

    def under(self, policy: Policy) -> Judge:
        """
        Return a judge under *policy* that shares the results known so far.

        *policy* must have the same queues and the same capacity.
        """

    def label_values(self, workload: Workload, queue: Queue) -> Hashable:
        """Return the label values of *workload* that affect its eligibility for *queue*."""

    def judge(self, workload: Workload, queue: Queue) -> Eligibility:
        """Return the eligibility of *workload* for *queue*."""

    def rejection(self, workload: Workload, queue: Queue) -> Reason | None:
        """Return why *queue* rejects *workload*, or None when it does not."""

    def obstacles(self, workload: Workload, queue: Queue) -> tuple[Any, ...]:
        """Return the obstacles to capacity of *queue*, by pod set."""

    def allowed(self, workload: Workload, queue: Queue) -> Hashable:
        """Return the part of the eligibility that depends on labels alone."""

    def accepted(self, workload: Workload, queue: Queue) -> tuple[str, ...]:
        """Return the names of the capacity of *queue* that accepts the labels of *workload*."""


@dataclass(frozen=True, slots=True)
class CachedEligibility:
    """A cached eligibility, for workloads with the same route, pod sets and relevant labels."""

    route: Route
    pod_sets: tuple[PodSet, ...]
    eligibility: Eligibility
    #: Key of their class, unless they yield to another workload.
    key: str

    @property
    def rejection(self) -> Reason | None:
        """Why the queue rejects them; None when it does not."""
        return self.eligibility.rejection


class EligibilityCache:
    """Returns the eligibility of routed workloads under one policy, evaluating equal ones once."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        #: By the identities of route and pod sets, which each entry keeps alive, and by labels.
        self._cached: dict[tuple[int, int, Hashable], CachedEligibility] = {}

    def judge(self, pending: Pending, queue: Queue) -> CachedEligibility:
        """
        Return the eligibility of *pending* for *queue*, the queue of its route.

        Sets `obstacles` and `alike` of *pending*.
        """
        route, workload = pending.route, pending.workload
        labels = self._judge.label_values(workload, queue)
        identity = (id(route), id(workload.pod_sets), labels)
        known = self._cached.get(identity)
        if known is None:
            if len(self._cached) >= _MOST_CACHED:
                self._cached.clear()
            known = self._cached[identity] = self._find(pending, queue)
        pending.obstacles = known.eligibility.obstacles
        pending.alike = known.eligibility.alike
        return known

    def _find(self, pending: Pending, queue: Queue) -> CachedEligibility:
        route, workload = pending.route, pending.workload
        found = self._judge.judge(workload, queue)
        return CachedEligibility(
            route=route,
            pod_sets=workload.pod_sets,
            eligibility=found,
            key=class_key(Pending(workload, route, alike=found.alike)),
        )
