"""Nomination of one job: filter the clusters, rank those that remain, and spread its replicas."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from console.engine.disciplines.placement.criteria import best_weight, failures, largest_weight
from console.engine.disciplines.placement.fit import Need, need_of
from console.engine.disciplines.placement.index import CapacityIndex, ClusterCapacity
from console.engine.disciplines.placement.job_placement import JobPlacement
from console.engine.disciplines.placement.reasons import (
    EXCEEDS_EVERY_NODE,
    NO_CLUSTER_MATCHES,
    NO_CLUSTER_READY,
    NO_NODE_FITS,
    REPLICAS_DO_NOT_FIT,
)
from console.engine.disciplines.placement.spec import (
    AFFINITY_PLUGIN,
    DEFAULT_PLUGIN,
    FILTER_POLICY_PLUGIN,
    FilterPolicy,
    PlacementSpec,
    Rank,
)
from console.engine.disciplines.placement.trace import ClusterStage, ClusterStep, PodSetPlacement
from console.engine.model.amounts import FlavorResource
from console.engine.model.decision import Assignment, Place, PodSetAssignment
from console.engine.model.reasons import Reason
from console.engine.model.workload import PodSet, Workload

#: Maximum number of placements with remembered results for all clusters.
_MOST_REMEMBERED: Final = 10_000


@dataclass(frozen=True, slots=True)
class PlacementNomination:
    """Where a job would go now."""

    #: Up to the first pod set that cannot be placed.
    pod_sets: tuple[PodSetPlacement, ...]
    #: The assignment on admission; empty if not all replicas fit.
    assignment: Assignment
    fits: bool
    #: `CapacityIndex.released` at this time: later, as long as it is the same, nothing fits.
    released: int

    #: Nothing fits until capacity is released.
    is_lasting = True
    #: No other workload has to go first.
    turn = None

    @property
    def usage(self) -> Mapping[FlavorResource, int]:
        """Nothing: clusters have no quota that could be short."""
        return {}

    @property
    def counts(self) -> Mapping[str, int]:
        """The number of replicas of each pod set."""
        return {each.name: each.count for each in self.assignment}

    @property
    def pending_reason(self) -> Reason:
        """Why the job waits: the stage that the most promising cluster did not pass."""
        clusters = self.pod_sets[-1].clusters if self.pod_sets else ()
        stages = {each.stage for each in clusters}
        if ClusterStage.KEPT in stages:
            return REPLICAS_DO_NOT_FIT
        if ClusterStage.CAPACITY in stages:
            short = [each for each in clusters if each.stage is ClusterStage.CAPACITY]
            return NO_NODE_FITS if any(each.could_fit for each in short) else EXCEEDS_EVERY_NODE
        if stages - {ClusterStage.NOT_READY}:
            return NO_CLUSTER_MATCHES
        return NO_CLUSTER_READY


class Placer:
    """Places jobs by the plugins and settings of one spec on the capacity of one index."""

    def __init__(self, spec: PlacementSpec, index: CapacityIndex) -> None:
        self.index = index
        self._spec = spec
        self._stages = tuple(_STAGES[each.name] for each in spec.plugins if each.name in _STAGES)

    def nominate(self, workload: Workload, job: JobPlacement) -> PlacementNomination:
        """Return where all pod sets of *workload* would go now; nothing is reserved."""
        released = self.index.released
        found: list[PodSetPlacement] = []
        assignment: list[PodSetAssignment] = []
        last = len(workload.pod_sets) - 1
        with self.index.trial() as trial:
            for number, pod_set in enumerate(workload.pod_sets):
                placed, places = self._place(pod_set, job)
                found.append(placed)
                if placed.placed < pod_set.count:
                    return PlacementNomination(tuple(found), (), False, released)
                if number < last:
                    for each in places:
                        amounts = {k: v * each.count for k, v in pod_set.requests.items()}
                        trial.charge((each.cluster or "", each.node or ""), amounts)
                assignment.append(
                    PodSetAssignment(
                        name=pod_set.name, count=pod_set.count, flavors={}, places=places
                    )
                )
        return PlacementNomination(tuple(found), tuple(assignment), True, released)

    def _place(
        self, pod_set: PodSet, job: JobPlacement
    ) -> tuple[PodSetPlacement, tuple[Place, ...]]:
        need = need_of(pod_set.requests)
        kept: list[tuple[ClusterCapacity, int]] = []
        removed: list[ClusterStep] = []
        for cluster in self.index.clusters.values():
            step = self._removed(cluster, need, job)
            if step is None:
                kept.append((cluster, best_weight(job.placement, cluster.labels)))
            else:
                removed.append(step)
        # The sort is stable: equal clusters stay in the order of the index.
        if self._spec.rank is Rank.PRODUCT:
            kept.sort(key=_product, reverse=True)
        else:
            kept.sort(key=_weight_and_score, reverse=True)
        places: list[Place] = []
        steps: list[ClusterStep] = []
        left = pod_set.count
        for cluster, weight in kept:
            here = 0
            if left:
                for node, count in cluster.fill(need, left):
                    places.append(Place(count=count, cluster=cluster.name, node=node))
                    here += count
            left -= here
            steps.append(
                ClusterStep(cluster=cluster.name, score=cluster.score, weight=weight, replicas=here)
            )
        placed = PodSetPlacement(
            pod_set=pod_set.name,
            replicas=pod_set.count,
            clusters=(*steps, *removed),
            largest_weight=largest_weight(job.placement),
        )
        return placed, tuple(places)

    def _removed(
        self, cluster: ClusterCapacity, need: Need, job: JobPlacement
    ) -> ClusterStep | None:
        """Return why *cluster* is removed; None if it remains."""
        if not cluster.is_ready:
            return ClusterStep(cluster=cluster.name, stage=ClusterStage.NOT_READY)
        for stage in self._stages:
            step = stage(self._spec, cluster, need, job)
            if step is not None:
                return step
        return None


def _product(each: tuple[ClusterCapacity, int]) -> int:
    # Weights are scaled by the largest one of the job, which changes no order.
    cluster, weight = each
    return cluster.score * weight


def _weight_and_score(each: tuple[ClusterCapacity, int]) -> tuple[int, int]:
    cluster, weight = each
    return weight, cluster.score


def _capacity(
    spec: PlacementSpec, cluster: ClusterCapacity, need: Need, job: JobPlacement
) -> ClusterStep | None:
    shortage = cluster.shortage(need)
    if shortage is None:
        return None
    return ClusterStep(
        cluster=cluster.name,
        stage=ClusterStage.CAPACITY,
        node=shortage.node,
        lacks=shortage.lacks,
        could_fit=shortage.could_fit,
    )


def _affinity(
    spec: PlacementSpec, cluster: ClusterCapacity, need: Need, job: JobPlacement
) -> ClusterStep | None:
    failed = failures(job.placement.filters, cluster.labels)
    if not failed:
        return None
    return ClusterStep(cluster=cluster.name, stage=ClusterStage.AFFINITY, failed=failed)


def _filter_policy(
    spec: PlacementSpec, cluster: ClusterCapacity, need: Need, job: JobPlacement
) -> ClusterStep | None:
    for each in spec.filter_policies.values():
        if applies(each, job.labels) and (
            cluster.name not in each.include or cluster.name in each.exclude
        ):
            return ClusterStep(
                cluster=cluster.name, stage=ClusterStage.FILTER_POLICY, policy=each.name
            )
    return None


def applies(policy: FilterPolicy, labels: Mapping[str, str]) -> bool:
    """Return whether *policy* applies to a job with *labels*."""
    return bool(policy.job_labels) and policy.job_labels.items() <= labels.items()


_STAGES = {
    DEFAULT_PLUGIN: _capacity,
    AFFINITY_PLUGIN: _affinity,
    FILTER_POLICY_PLUGIN: _filter_policy,
}
