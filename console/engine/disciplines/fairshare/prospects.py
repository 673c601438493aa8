"""
Cheap answers on whether an action may succeed for a job; False is certain.

Most pending workloads have no prospects in most cycles. Without any, an action is left out; with
some, it runs for all jobs in their order, and ends when the last of these had its turn.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import islice

from console.engine.disciplines.fairshare.gangs import Pod, requested, start_unit
from console.engine.disciplines.fairshare.gates import quota_refusal, refusal
from console.engine.disciplines.fairshare.requests import Need
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
        return bool(nodes_with_prospects(session, unit, session.movable))

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


def nodes_with_prospects(
    session: Session,
    unit: Collection[Pod],
    candidates: Sequence[Job],
    losers: Collection[str] = (),
) -> set[str]:
    """
    Return the nodes on which a pod of *unit* may have room after *candidates* have left them.

    Without *losers*, candidates only move, to a node that has room for them now. Otherwise a node
    needs a candidate in one of the queues *losers*, which may stop. For several pods, and for
    shares of devices, all such nodes are returned, and those of candidates on several nodes.
    """
    needs = [pod.need for pod in unit]
    # A pod that fits already, because earlier victims have left room, fits after any further one.
    is_exact = len(needs) == 1 and needs[0].gpus > 0 and not session.rooms.fit(needs[0])
    elsewhere: dict[Need, tuple[str, ...]] = {}
    freed: dict[str, int] = {}
    worthwhile: set[str] = set()
    stopping: set[str] = set()
    for job in candidates:
        pods = [pod for pod in job.pods if pod.is_active and pod.node is not None]
        nodes = {pod.node for pod in pods if pod.node is not None}
        may_stop = job.queue in losers
        if may_stop:
            stopping |= nodes
        if len(nodes) > 1:
            worthwhile |= nodes
        for pod in pods:
            node, gpus = pod.node, pod.need.gpus
            assert node is not None
            if pod.need.share is not None:
                # It may move to another device of the same node.
                gpus = pod.need.share.devices
            elif not may_stop:
                if pod.need not in elsewhere:
                    elsewhere[pod.need] = tuple(islice(session.rooms.fitting(pod.need), 2))
                if all(each == node for each in elsewhere[pod.need]):
                    gpus = 0
            freed[node] = freed.get(node, 0) + gpus
    rooms = session.rooms
    if is_exact:
        found = worthwhile | {
            node
            for node, gpus in freed.items()
            if gpus and rooms[node].future_gpus + gpus >= needs[0].gpus
        }
    else:
        found = set(freed)
    return found & stopping if losers else found
