"""Eligibility of jobs: a job with an invalid placement is rejected, whatever is free."""

from __future__ import annotations

from collections.abc import Hashable

from console.engine.disciplines.placement.job_placement import (
    job_placement,
    placement_key,
    relevant_labels,
)
from console.engine.disciplines.placement.reasons import INVALID_PLACEMENT
from console.engine.disciplines.placement.spec import FILTER_POLICY_PLUGIN, placement_of
from console.engine.model.policy import Policy, Queue
from console.engine.model.reasons import Reason
from console.engine.model.workload import Workload
from console.engine.pending.eligibility import Eligibility


class PlacementJudge:
    """Reads the placement of jobs under one policy."""

    def __init__(self, policy: Policy) -> None:
        self._spec = placement_of(policy)
        self._reads_labels = any(
            each.name == FILTER_POLICY_PLUGIN for each in self._spec.plugins
        ) and bool(self._spec.filter_policies)

    def under(self, policy: Policy) -> PlacementJudge:
        """Return the judge of another policy: nothing is shared."""
        return PlacementJudge(policy)

    def label_values(self, workload: Workload, queue: Queue) -> Hashable:
        """Return the stated placement, and the labels that filter policies read."""
        return placement_key(workload), self._labels(workload)

    def judge(self, workload: Workload, queue: Queue) -> Eligibility:
        """Return the effective placement of *workload*, as the obstacles of each pod set."""
        found = job_placement(self._spec, workload)
        return Eligibility(
            rejection=INVALID_PLACEMENT if found.problem else None,
            obstacles=tuple(found for _ in workload.pod_sets),
            alike=(placement_key(workload), *self._labels(workload)),
        )

    def rejection(self, workload: Workload, queue: Queue) -> Reason | None:
        """Return INVALID_PLACEMENT for a placement that cannot be read."""
        return INVALID_PLACEMENT if job_placement(self._spec, workload).problem else None

    def obstacles(self, workload: Workload, queue: Queue) -> tuple[object, ...]:
        """Return the effective placement for each pod set."""
        return self.judge(workload, queue).obstacles

    def allowed(self, workload: Workload, queue: Queue) -> Hashable:
        """Return what `label_values` returns: nothing else matters."""
        return self.label_values(workload, queue)

    def accepted(self, workload: Workload, queue: Queue) -> tuple[str, ...]:
        """Return the declared clusters; which of them fit depends on their reports."""
        return tuple(self._spec.clusters)

    def _labels(self, workload: Workload) -> tuple[tuple[str, str], ...]:
        if not self._reads_labels:
            return ()
        return tuple(relevant_labels(self._spec, workload).items())
