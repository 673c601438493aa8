"""
Cheap answers on whether an action may succeed for a job; False is certain.

Most pending workloads have no prospects in most cycles. Without any, an action is left out; with
some, it runs for all jobs in their order, and ends when the last of these had its turn.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from console.engine.disciplines.fairshare.gangs import Pod, PodState, requested, start_unit
from console.engine.disciplines.fairshare.gates import quota_refusal, refusal
from console.engine.disciplines.fairshare.resources import fits, plus
from console.engine.disciplines.fairshare.session import Job, Session
from console.engine.disciplines.fairshare.spec import PlacementStrategy


class Prospects:
    """The prospects of jobs in one session, as it is now."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._free_gpus: int | None = None

    def of_start(self, job: Job) -> bool:
        """Return whether *job* may start, or wait for pods that have to stop."""
        session, unit = self._session, start_unit(job.groups)
        if not all(session.rooms.fit(need) for need in {pod.need for pod in unit}):
            return False
        path = session.path_standings(job.queue)
        return refusal(path, requested(unit), is_preemptible=job.is_preemptible) is None

    def of_consolidation(self, job: Job) -> bool:
        """Return whether workloads may be moved for *job*."""
        session = self._session
        if not job.is_preemptible:
            return False
        if session.spec.settings.gpu_placement is PlacementStrategy.SPREAD:
            return False
        unit = start_unit(job.groups)
        if self._free_gpus is None:
            self._free_gpus = sum(each.free_gpus() for each in session.rooms.values())
        if requested(unit).gpu > self._free_gpus:
            return False
        return bool(nodes_for_moves(session, unit, session.movable))

    def of_reclaim(self, job: Job) -> bool:
        """Return whether *job* may take room from other queues."""
        session, queue = self._session, job.queue
        request = requested(start_unit(job.groups))
        standing = session.standings[queue]
        if not fits(plus(standing.used, request), standing.fair_share):
            return False
        if not job.is_preemptible and not fits(
            plus(standing.used_non_preemptible, request), standing.quota
        ):
            return False
        return bool(session.losers(queue, request))

    def of_preemption(self, job: Job) -> bool:
        """Return whether *job* may take room from workloads of its queue."""
        session = self._session
        if not any(
            each.priority < job.priority for each in session.running_by_queue.get(job.queue, ())
        ):
            return False
        if job.is_preemptible:
            return True
        request = requested(start_unit(job.groups))
        return quota_refusal(session.path_standings(job.queue), request) is None


def nodes_for_moves(session: Session, unit: Collection[Pod], candidates: Iterable[Job]) -> set[str]:
    """
    Return the nodes on which the pods of *unit* may have room after *candidates* move elsewhere.

    A pod moves only to a node that has room for it now. For several pods, and for shares of
    devices, all nodes of the candidates are returned.
    """
    needs = [pod.need for pod in unit]
    is_exact = len(needs) == 1 and needs[0].gpus > 0
    freed: dict[str, int] = {}
    for job in candidates:
        for pod in job.pods:
            if pod.node is None or pod.state is not PodState.RUNNING:
                continue
            gpus = pod.need.gpus
            if pod.need.share is not None:
                # It may move to another device of the same node.
                gpus = pod.need.share.devices
            elif is_exact and not session.rooms.fit(pod.need, besides=pod.node):
                gpus = 0
            freed[pod.node] = freed.get(pod.node, 0) + gpus
    if not is_exact:
        return set(freed)
    rooms = session.rooms
    return {
        node
        for node, gpus in freed.items()
        if gpus and rooms[node].future_gpus + gpus >= needs[0].gpus
    }
