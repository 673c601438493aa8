"""Eligibility of jobs: a job with an invalid placement is rejected, whatever is free."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final

from console.engine.disciplines.placement.job_placement import (
    job_placement,
    placement_key,
    relevant_labels,
)
from console.engine.disciplines.placement.plugin_host import HOST
from console.engine.disciplines.placement.reasons import INVALID_PLACEMENT
from console.engine.disciplines.placement.spec import FILTER_POLICY_PLUGIN, placement_of
from console.engine.model.policy import Policy, Queue
from console.engine.model.reasons import Reason
from console.engine.model.workload import Workload
from console.engine.pending.eligibility import Eligibility

#: Maximum number of different placements that are remembered.
_MOST_KNOWN: Final = 10_000


class PlacementJudge:
    """Reads the placement of jobs under one policy."""

    def __init__(self, policy: Policy) -> None:
        self._spec = placement_of(policy)
        names = [each.name for each in self._spec.plugins]
        reads_policies = FILTER_POLICY_PLUGIN in names and bool(self._spec.filter_policies)
        self._reads_labels = reads_policies or any(
            each.job_labels for each in HOST.listed(self._spec)
        )
        #: Equal jobs share one placement, which others may use to remember what it means.
        self._known: dict[Hashable, Eligibility] = {}

    def under(self, policy: Policy) -> PlacementJudge:
        """Return the judge of another policy: nothing is shared."""
        return PlacementJudge(policy)

    def label_values(self, workload: Workload, queue: Queue) -> Hashable:
        """Return the stated placement, and the labels that filter policies and plugins read."""
        return placement_key(workload), self._labels(workload)

    def judge(self, workload: Workload, queue: Queue) -> Eligibility:
        """Return the effective placement of *workload*, as the obstacles of each pod set."""
        key = self.label_values(workload, queue), len(workload.pod_sets)
        known = self._known.get(key)
        if known is None:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            found = job_placement(self._spec, workload)
            known = self._known[key] = Eligibility(
                rejection=INVALID_PLACEMENT if found.problem else None,
                obstacles=(found,) * len(workload.pod_sets),
                alike=(placement_key(workload), *self._labels(workload)),
            )
        return known

    def rejection(self, workload: Workload, queue: Queue) -> Reason | None:
        """Return INVALID_PLACEMENT for a placement that cannot be read."""
        return self.judge(workload, queue).rejection

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
