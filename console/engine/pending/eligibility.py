"""Eligibility of workloads for a queue, found once for all that share route and pod sets."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Protocol

from console.engine.model.policy import Policy, Queue
from console.engine.model.reasons import Reason
from console.engine.model.route import Route
from console.engine.model.workload import PodSet, Workload
from console.engine.pending.pending_class import Pending, class_key

#: Cached results. Labels may be unique to each workload, in which case they never match.
_REMEMBERED = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Eligibility:
    """What the discipline knows of workloads in a queue before it considers any quota."""

    #: Why the queue rejects them; None when it does not.
    rejection: Reason | None = None
    #: By pod set: what excludes it from capacity, in a form that only the discipline reads.
    obstacles: tuple[Any, ...] = ()
    #: What distinguishes their class from those of workloads with the same request. Its `repr` is
    #: the same in every process.
    alike: tuple[object, ...] = ()


class Judge(Protocol):
    """Judges workloads under one policy by what a discipline selects capacity by."""

    def under(self, policy: Policy) -> Judge:
        """
        Return the same under *policy*, with what is known already.

        It has the same queues and the same capacity to choose from.
        """

    def label_values(self, workload: Workload, queue: Queue) -> Hashable:
        """Return everything of the labels of *workload* that matters in *queue*."""

    def judge(self, workload: Workload, queue: Queue) -> Eligibility:
        """Return the eligibility of *workload* for *queue*."""

    def rejection(self, workload: Workload, queue: Queue) -> Reason | None:
        """Return why *queue* rejects *workload*; None when it does not."""

    def obstacles(self, workload: Workload, queue: Queue) -> tuple[Any, ...]:
        """Return by pod set what excludes it from capacity of *queue*."""

    def allowed(self, workload: Workload, queue: Queue) -> Hashable:
        """Return the part of the eligibility that follows from labels alone."""

    def accepted(self, workload: Workload, queue: Queue) -> tuple[str, ...]:
        """Return the names of the capacity of *queue* that the labels of *workload* allow."""


@dataclass(frozen=True, slots=True)
class Judged:
    """The eligibility of workloads that share route, pod sets and labels that matter."""

    route: Route
    pod_sets: tuple[PodSet, ...]
    eligibility: Eligibility
    #: Name of their class, unless they yield to another workload.
    key: str

    @property
    def rejection(self) -> Reason | None:
        """Why the queue rejects them; None when it does not."""
        return self.eligibility.rejection


class EligibilityCache:
    """Evaluates routed workloads under one policy."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        #: By the identity of route and pod sets, which each entry keeps alive, and by labels.
        self._judged: dict[tuple[int, int, Hashable], Judged] = {}

    def judge(self, pending: Pending, queue: Queue) -> Judged:
        """
        Return the eligibility of *pending* for *queue*, to which its route leads.

        Its obstacles and what distinguishes its class are recorded in *pending*.
        """
        route, workload = pending.route, pending.workload
        labels = self._judge.label_values(workload, queue)
        identity = (id(route), id(workload.pod_sets), labels)
        known = self._judged.get(identity)
        if known is None:
            if len(self._judged) >= _REMEMBERED:
                self._judged.clear()
            known = self._judged[identity] = self._find(pending, queue)
        pending.obstacles = known.eligibility.obstacles
        pending.alike = known.eligibility.alike
        return known

    def _find(self, pending: Pending, queue: Queue) -> Judged:
        route, workload = pending.route, pending.workload
        found = self._judge.judge(workload, queue)
        return Judged(
            route=route,
            pod_sets=workload.pod_sets,
            eligibility=found,
            key=class_key(Pending(workload, route, alike=found.alike)),
        )
