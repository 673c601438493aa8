"""Cache of the eligibility of workloads, by route, pod sets and labels."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

from console.engine.model.policy import Queue
from console.engine.model.reasons import Reason
from console.engine.model.route import Route
from console.engine.model.workload import PodSet
from console.engine.pending.eligibility import Eligibility, Judge
from console.engine.pending.pending_class import Pending, class_key

#: Maximum number of cached results. If labels are unique to each workload, none is used again.
_MOST_CACHED = 20_000


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

        Sets `eligibility` of *pending*.
        """
        workload = pending.workload
        labels = self._judge.label_values(workload, queue)
        identity = (id(pending.route), id(workload.pod_sets), labels)
        known = self._cached.get(identity)
        if known is None:
            if len(self._cached) >= _MOST_CACHED:
                self._cached.clear()
            known = self._cached[identity] = self._find(pending, queue)
        pending.eligibility = known.eligibility
        return known

    def _find(self, pending: Pending, queue: Queue) -> CachedEligibility:
        route, workload = pending.route, pending.workload
        found = self._judge.judge(workload, queue)
        pending.eligibility = found
        ordinary = pending if pending.yields_to is None else replace(pending, yields_to=None)
        return CachedEligibility(route, workload.pod_sets, found, class_key(ordinary))
