"""Nomination of one job: filter the clusters, rank those that remain, and spread its replicas."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from console.engine.disciplines.placement.criteria import best_weight, largest_weight
from console.engine.disciplines.placement.feasibility import never_placed
from console.engine.disciplines.placement.fit import Need, need_of
from console.engine.disciplines.placement.index import CapacityIndex, ClusterCapacity
from console.engine.disciplines.placement.job_placement import JobPlacement
from console.engine.disciplines.placement.plugin_placing import PluginPlacing
from console.engine.disciplines.placement.reasons import (
    EXCEEDS_ALL_CLUSTERS,
    EXCEEDS_EVERY_NODE,
    NO_CLUSTER_MATCHES,
    NO_CLUSTER_READY,
    NO_NODE_FITS,
    PLUGIN_FAILED,
    REMOVED_BY_PLUGIN,
    REPLICAS_DO_NOT_FIT,
)
from console.engine.disciplines.placement.spec import (
    DEFAULT_PLUGIN,
    PLUGINS,
    GpuRule,
    PlacementSpec,
    Rank,
)
from console.engine.disciplines.placement.trace import (
    ClusterStage,
    ClusterStep,
    NeverPlaced,
    PluginWords,
    PodSetPlacement,
    overtaken,
)
from console.engine.disciplines.placement.verdicts import (
    STAGES,
    Matched,
    Ranked,
    not_ready,
    without_room,
)
from console.engine.model.amounts import FlavorResource
from console.engine.model.common_reasons import BEHIND_OTHERS
from console.engine.model.decision import Assignment, Place, PodSetAssignment
from console.engine.model.reasons import Reason
from console.engine.model.workload import PodSet, Workload
from console.engine.pending.min_requests import MinRequests
from console.engine.pending.pending_class import PendingClass

#: Maximum number of placements with remembered results for all clusters.
_MOST_REMEMBERED: Final = 10_000

#: Milliseconds after a failure of a plugin until jobs that wait are asked about again: it may have
#: failed for a cause that passes, such as a busy machine.
RETRY: Final = 60_000

#: Number of classes that no longer wait, beyond half of all, after which they are forgotten.
_MOST_GONE: Final = 100


class Found(NamedTuple):
    """The clusters for one pod set."""

    pod_set: PodSet
    need: Need
    ranked: list[Ranked]
    removed: list[ClusterStep]
    largest_weight: int
    rank: Rank
    capacity_factor: int = 1
    #: Of installed plugins, see `PodSetPlacement`.
    failure: PluginWords | None = None
    spread_by: str = ""

    @property
    def facts(self) -> PodSetPlacement:
        """The same for the trace."""
        ranked = tuple(each.step for each in self.ranked)
        return PodSetPlacement(
            pod_set=self.pod_set.name,
            replicas=self.pod_set.count,
            clusters=(*ranked, *self.removed),
            largest_weight=self.largest_weight,
            overtaken=overtaken(ranked, self.largest_weight) if self.rank is Rank.PRODUCT else None,
            capacity_factor=self.capacity_factor,
            failure=self.failure,
            spread_by=self.spread_by,
        )


@dataclass(frozen=True, slots=True)
class PlacementNomination:
    """Where a job would go now."""

    #: Up to the first pod set that cannot be placed.
    found: tuple[Found, ...]
    #: The assignment on admission; empty if not all replicas fit.
    assignment: Assignment
    fits: bool
    #: Why the job can never be placed; None: it can, or it fits.
    never: NeverPlaced | None = None

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
    def pod_sets(self) -> tuple[PodSetPlacement, ...]:
        """The facts for the trace."""
        return tuple(each.facts for each in self.found)

    @property
    def pending_reason(self) -> Reason:
        """Why the job waits: the stage that the most promising cluster did not pass."""
        if self.fits:
            return BEHIND_OTHERS
        if self.never is not None:
            return _reason_of(self.never)
        if not self.found:
            return NO_CLUSTER_READY
        last = self.found[-1]
        if last.failure is not None:
            return PLUGIN_FAILED
        if last.ranked:
            return REPLICAS_DO_NOT_FIT
        if any(each.stage is ClusterStage.PLUGIN for each in last.removed):
            return REMOVED_BY_PLUGIN
        # Room on a cluster that the job may not use would not help.
        short = [
            each
            for each in last.removed
            if each.stage is ClusterStage.CAPACITY and not each.is_excluded
        ]
        # Otherwise a cluster that is not ready could take the job.
        return NO_NODE_FITS if any(each.could_fit for each in short) else NO_CLUSTER_READY


class Placer:
    """Places jobs by the plugins and settings of one spec on the capacity of one index."""

    def __init__(self, spec: PlacementSpec, index: CapacityIndex) -> None:
        self.index = index
        self._spec = spec
        names = [each.name for each in spec.plugins]
        #: Whether a cluster needs a node with room for one replica.
        self._needs_room = DEFAULT_PLUGIN in names
        #: Asks all plugins in order; None without installed ones.
        self._plugins = None
        if any(name not in PLUGINS for name in names):
            self._plugins = PluginPlacing(spec, index)
        #: The other plugins depend on labels alone; they come after the default one.
        self._stages = tuple(STAGES[name] for name in names if name in STAGES)
        #: By identity of the placement, which each entry keeps alive, and then by cluster.
        self._matched: dict[int, tuple[JobPlacement, dict[str, Matched]]] = {}
        self._labels_version = index.labels_version
        #: Whether a plugin failed since `note_failures` was called.
        self._has_failed = False
        #: The time of the next turn of all jobs because a plugin failed; None: no plugin did.
        self.retry_at: int | None = None
        #: Whether this time has come, and the turns are not over.
        self.is_retry_due = False
        #: The request of one replica of each class that waits, and of some that no longer do.
        self._waiting = MinRequests()
        self._noted: set[str] = set()
        #: By class, why its jobs can never be placed, for one version of clusters and labels.
        self._never: dict[str, NeverPlaced | None] = {}
        self._never_version = index.labels_version

    @property
    def may_fit_on_less(self) -> bool:
        """
        Whether any change of free amounts may let a waiting job be placed, also less capacity.

        So it is with SkyShift's rule for accelerators, and with plugins that read free amounts.
        """
        return self._spec.gpu_rule is GpuRule.SKYSHIFT_HEAD or (
            self._plugins is not None and self._plugins.reads_free
        )

    def nominate(
        self, workload: Workload, job: JobPlacement, *, with_nodes: bool
    ) -> PlacementNomination:
        """
        Return where all pod sets of *workload* would go now; nothing is reserved.

        *with_nodes* determines for every cluster without room the node that comes closest.
        """
        if len(workload.pod_sets) == 1:
            found, assigned = self._place(workload.pod_sets[0], job, with_nodes=with_nodes)
            fits = assigned is not None
            return PlacementNomination((found,), (assigned,) if assigned else (), fits)
        with self.index.trial() as trial:
            all_found: list[Found] = []
            assignment: list[PodSetAssignment] = []
            for pod_set in workload.pod_sets:
                found, assigned = self._place(pod_set, job, with_nodes=with_nodes)
                all_found.append(found)
                if assigned is None:
                    return PlacementNomination(tuple(all_found), (), fits=False)
                assignment.append(assigned)
                for each in assigned.places:
                    amounts = {k: v * each.count for k, v in pod_set.requests.items()}
                    trial.charge((each.cluster or "", each.node or ""), amounts)
        return PlacementNomination(tuple(all_found), tuple(assignment), fits=True)

    def never(self, workload: Workload, job: JobPlacement, key: str) -> NeverPlaced | None:
        """
        Return why *workload* can never be placed; None: it can.

        *key* is that of its class, for which the answer is remembered; "" outside every class.
        """
        if self._never_version != self.index.labels_version or len(self._never) >= _MOST_REMEMBERED:
            self._never_version = self.index.labels_version
            self._never.clear()
        if key not in self._never:
            found = self._never_of(workload, job)
            if not key:
                return found
            self._never[key] = found
        return self._never[key]

    def note_failures(self, now: int) -> None:
        """Give all jobs a turn some time after *now* if a plugin failed since the last call."""
        if self._has_failed:
            self._has_failed = False
            if self.retry_at is None:
                self.retry_at = now + RETRY

    def advance(self, now: int) -> bool:
        """Return whether all jobs get a turn at the time *now*, because a plugin failed before."""
        if self.retry_at is None or now < self.retry_at:
            return False
        self.retry_at = None
        self.is_retry_due = True
        return True

    def forget_releases(self) -> None:
        """Record that every pending job had a turn."""
        self.index.forget_releases()
        self.is_retry_due = False

    def note_waiting(self, key: str, nomination: PlacementNomination) -> None:
        """Record that the class *key* waits because of *nomination*."""
        if key not in self._noted:
            self._noted.add(key)
            for number, each in enumerate(nomination.found):
                self._waiting.add(f"{key}/{number}", dict(each.need.amounts))

    def smallest_needs(self, classes: Mapping[str, PendingClass]) -> Iterable[Mapping[str, int]]:
        """
        Return requests of which a replica of every waiting class needs at least one.

        *classes* are those of the queue; `note_waiting` was called for all with a nomination.
        """
        if len(self._noted) > 2 * len(classes) + _MOST_GONE:
            self._waiting, self._noted = MinRequests(), set()
            for key, cls in classes.items():
                nomination = cls.verdict.nomination if cls.verdict is not None else None
                if isinstance(nomination, PlacementNomination):
                    self.note_waiting(key, nomination)
        return self._waiting.each()

    def match(self, job: JobPlacement) -> dict[str, Matched]:
        """Return what the labels of every cluster mean for *job*."""
        if self._labels_version != self.index.labels_version:
            self._labels_version = self.index.labels_version
            self._matched.clear()
        known = self._matched.get(id(job))
        if known is None:
            if len(self._matched) >= _MOST_REMEMBERED:
                self._matched.clear()
            known = self._matched[id(job)] = (
                job,
                {name: self._matched_by(each, job) for name, each in self.index.clusters.items()},
            )
        return known[1]

    def fits_on_released(self, need: Need, job: JobPlacement) -> bool:
        """Return whether one replica fits on a node with released capacity that *job* may use."""
        clusters = self.index.released_clusters(need)
        if not clusters:
            return False
        matched = self.match(job)
        return any(matched[name].removed is None for name in clusters)

    def _place(
        self, pod_set: PodSet, job: JobPlacement, *, with_nodes: bool
    ) -> tuple[Found, PodSetAssignment | None]:
        """Return the clusters for *pod_set*, and its assignment if all replicas fit."""
        need = need_of(pod_set.requests)
        if self._plugins is not None:
            return self._place_by_plugins(self._plugins, pod_set, need, job, with_nodes=with_nodes)
        matched = self.match(job)
        kept: list[tuple[int, int, ClusterCapacity]] = []
        removed: list[ClusterStep] = []
        by_product, needs_room = self._spec.rank is Rank.PRODUCT, self._needs_room
        for name, cluster in self.index.clusters.items():
            match = matched[name]
            if not cluster.is_ready:
                removed.append(not_ready(name, match))
            elif needs_room and not cluster.fits(need):
                removed.append(without_room(cluster, need, match, with_node=with_nodes))
            elif match.removed is not None:
                removed.append(match.removed)
            elif by_product:
                # Weights are scaled by the largest one of the job, which changes no order.
                kept.append((cluster.score * match.weight, match.weight, cluster))
            else:
                kept.append((match.weight, cluster.score, cluster))
        # The sort is stable: equal clusters stay in the order of the index.
        kept.sort(key=_values, reverse=True)
        places: list[Place] = []
        ranked: list[Ranked] = []
        filled: list[dict[str, int]] = []
        left = pod_set.count
        for _, _, cluster in kept:
            here = dict(cluster.fill(need, left)) if left else {}
            for node, count in here.items():
                places.append(Place(count=count, cluster=cluster.name, node=node))
            filled.append(here)
            left -= sum(here.values())
            weight = matched[cluster.name].weight
            ranked.append(Ranked(cluster.name, cluster.score, weight, sum(here.values())))
        if left and with_nodes:
            ranked = [
                each._replace(shortage=cluster.lacking_for_another(need, here))
                for each, (_, _, cluster), here in zip(ranked, kept, filled, strict=True)
            ]
        largest = largest_weight(job.placement)
        found = Found(pod_set, need, ranked, removed, largest, self._spec.rank)
        return found, _assigned(pod_set, places, left)

    def _place_by_plugins(
        self,
        plugins: PluginPlacing,
        pod_set: PodSet,
        need: Need,
        job: JobPlacement,
        *,
        with_nodes: bool,
    ) -> tuple[Found, PodSetAssignment | None]:
        placed = plugins.place(pod_set, need, job, self.match(job), with_nodes=with_nodes)
        self._has_failed = self._has_failed or placed.failure is not None
        found = Found(
            pod_set,
            need,
            placed.ranked,
            placed.removed,
            largest_weight(job.placement),
            self._spec.rank,
            plugins.capacity_factor,
            placed.failure,
            plugins.spread_by,
        )
        return found, _assigned(pod_set, placed.places, placed.left)

    def _never_of(self, workload: Workload, job: JobPlacement) -> NeverPlaced | None:
        """Return the first pod set of *workload* that can never be placed."""
        matched = self.match(job)
        clusters = [
            (cluster.empty, matched[name].removed) for name, cluster in self.index.clusters.items()
        ]
        for each in workload.pod_sets:
            found = never_placed(each.name, each.count, need_of(each.requests), clusters)
            if found is not None:
                return found
        return None

    def _matched_by(self, cluster: ClusterCapacity, job: JobPlacement) -> Matched:
        steps = (stage(self._spec, cluster, job) for stage in self._stages)
        removed = next((step for step in steps if step is not None), None)
        return Matched(removed, best_weight(job.placement, cluster.labels))


def _reason_of(never: NeverPlaced) -> Reason:
    if not never.admitted:
        return NO_CLUSTER_MATCHES
    return EXCEEDS_ALL_CLUSTERS if never.possible else EXCEEDS_EVERY_NODE


def _assigned(pod_set: PodSet, places: list[Place], left: int) -> PodSetAssignment | None:
    """Return the assignment of *pod_set*; None if some replicas are *left* without a place."""
    if left:
        return None
    return PodSetAssignment(
        name=pod_set.name, count=pod_set.count, flavors={}, places=tuple(places)
    )


def _values(each: tuple[int, int, ClusterCapacity]) -> tuple[int, int]:
    return each[0], each[1]
