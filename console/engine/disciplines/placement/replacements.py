"""
Replacements: running jobs whose replicas are lost get other places for these replicas alone.

Replicas are lost with their cluster (deleted, silent, or with an error) and with their node (no
longer reported), or their executor released them. They move when all lost replicas of the job fit
elsewhere; until then those on a lost cluster stay where they are, because it may return.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from console.engine.disciplines.placement.eligibility import PlacementJudge
from console.engine.disciplines.placement.job_placement import JobPlacement
from console.engine.disciplines.placement.ledger import JobQueue
from console.engine.disciplines.placement.nominate import PlacementNomination, Placer
from console.engine.disciplines.placement.reasons import MOVED, PLACED, REPLICAS_LOST
from console.engine.live.pod_changes import missing_pods, placed_pods, with_count
from console.engine.live.running import Running
from console.engine.model.decision import Place, PlacedPods, Resize
from console.engine.model.inventory import Cluster, Inventory
from console.engine.model.policy import Policy

if TYPE_CHECKING:
    from console.engine.state import State

_NOTHING = Resize()


class _Refused(NamedTuple):
    """A running job whose lost replicas did not fit elsewhere."""

    #: As it was then: a change of its pods replaces the object.
    running: Running
    job: JobPlacement
    nomination: PlacementNomination
    #: The version of the clusters at that time.
    labels_version: int


class Replacements:
    """The replacement of lost replicas under one policy; remembers what did not fit."""

    def __init__(self, policy: Policy) -> None:
        self._judge = PlacementJudge(policy)
        self._refused: dict[str, _Refused] = {}
        #: Names of the nodes of clusters as they were last reported.
        self._nodes: dict[str, tuple[Cluster, frozenset[str]]] = {}

    def note_losses(self, state: State) -> None:
        """Record the running jobs that lack replicas, or have some in a lost place."""
        for each in state.running.values():
            if self._lost(state.inventory, each) or missing_pods(each.workload, each.assignment):
                state.incomplete[each.workload.id] = None

    def run(self, state: State, queue: JobQueue, placer: Placer, *, skipping: bool) -> bool:
        """Give the jobs of *queue* with lost replicas their turns; return whether any changed."""
        due = [
            running
            for running in (state.running[uid] for uid in state.incomplete)
            if running.queue == queue.name
            and not (skipping and self._surely_fails(running, placer))
        ]
        has_decided = False
        for running in sorted(due, key=lambda each: each.reservation):
            if not state.has_budget:
                break
            has_decided |= self._turn(state, queue, placer, running)
        return has_decided

    def _surely_fails(self, running: Running, placer: Placer) -> bool:
        """Return whether nothing has changed that could let the lost replicas fit."""
        refused = self._refused.get(running.workload.id)
        if refused is None or refused.running is not running:
            return False
        if placer.may_fit_on_less or placer.is_retry_due:
            return False
        index = placer.index
        if refused.labels_version != index.labels_version:
            return False
        return not index.released or not any(
            placer.fits_on_released(each.need, refused.job) for each in refused.nomination.found
        )

    def _turn(self, state: State, queue: JobQueue, placer: Placer, running: Running) -> bool:
        uid = running.workload.id
        if running.evicting:
            # It stops as a whole.
            self._forget(state, uid)
            return False
        taken = self._lost(state.inventory, running)
        wanted = missing_pods(running.workload, running.assignment)
        for pods in taken:
            wanted[pods.pod_set] = wanted.get(pods.pod_set, 0) + pods.place.count
        if not wanted:
            self._forget(state, uid)
            # The lost cluster has returned before the replicas moved.
            if running.reason is REPLICAS_LOST:
                state.resize(running, None, _NOTHING, PLACED)
                return True
            return False
        job = self._job(running, queue)
        nomination = self._nominate(placer, running, wanted, job)
        if nomination.fits:
            granted = tuple(placed_pods(nomination.assignment))
            state.resize(running, nomination, Resize(granted=granted, taken=taken), MOVED)
            placer.index.touch(state.node_usage.take_touched())
            self._forget(state, uid)
            return True
        is_news = running.reason is not REPLICAS_LOST
        if is_news:
            state.resize(running, nomination, _NOTHING, REPLICAS_LOST)
        self._refused[uid] = _Refused(
            state.running[uid], job, nomination, placer.index.labels_version
        )
        return is_news

    def _forget(self, state: State, uid: str) -> None:
        del state.incomplete[uid]
        self._refused.pop(uid, None)

    def _job(self, running: Running, queue: JobQueue) -> JobPlacement:
        assert queue.policy is not None
        obstacles = self._judge.judge(running.workload, queue.policy).obstacles
        found = obstacles[0]
        assert isinstance(found, JobPlacement)
        return found

    def _nominate(
        self, placer: Placer, running: Running, wanted: dict[str, int], job: JobPlacement
    ) -> PlacementNomination:
        """Return the places for *wanted* replicas by pod set, or why they do not fit."""
        if job.problem:
            # The config has changed since its admission.
            return PlacementNomination((), (), fits=False)
        pod_sets = tuple(
            with_count(each, wanted[each.name])
            for each in running.workload.pod_sets
            if each.name in wanted
        )
        return placer.nominate(replace(running.workload, pod_sets=pod_sets), job, with_nodes=False)

    def _lost(self, inventory: Inventory, running: Running) -> tuple[PlacedPods, ...]:
        """Return the replicas of *running* in places that no longer exist."""
        return tuple(
            pods for pods in placed_pods(running.assignment) if self._is_lost(inventory, pods.place)
        )

    def _is_lost(self, inventory: Inventory, place: Place) -> bool:
        if place.cluster is None or place.node is None:
            return False
        cluster = inventory.clusters.get(place.cluster)
        return (
            cluster is None or cluster.has_failed or place.node not in self._names_of_nodes(cluster)
        )

    def _names_of_nodes(self, cluster: Cluster) -> frozenset[str]:
        known = self._nodes.get(cluster.name)
        if known is None or known[0] is not cluster:
            names = frozenset(node.name for node in cluster.nodes)
            known = self._nodes[cluster.name] = cluster, names
        return known[1]


def has_losses(before: Inventory, after: Inventory) -> bool:
    """Return whether a cluster or node of *before* is lost in *after*."""
    return any(
        _has_losses(cluster, after.clusters.get(name)) for name, cluster in before.clusters.items()
    )


def _has_losses(before: Cluster, after: Cluster | None) -> bool:
    if before is after:
        return False
    if after is None or after.has_failed:
        return True
    return not {node.name for node in before.nodes} <= {node.name for node in after.nodes}
