"""The nodes and jobs of a case of whole actions, from one round to the next."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from console.dialects.conformance.parts import MalformedCase, objects_in, part
from console.dialects.kai.conformance.action_parts import NOW, check_parts, read_jobs, read_nodes
from console.dialects.kai.conformance.case_values import MEGABYTE_UNITS, read_spec
from console.engine.disciplines.fairshare.actions import (
    Start,
    allocate,
    consolidate,
    evict_stale,
    preempt,
    reclaim,
    waiting_jobs,
)
from console.engine.disciplines.fairshare.fair_share import FairShareTree
from console.engine.disciplines.fairshare.gangs import PodState, requested
from console.engine.disciplines.fairshare.node_room import NodeRoom, Rooms, least_device_memory
from console.engine.disciplines.fairshare.resources import NOTHING, Amounts, plus
from console.engine.disciplines.fairshare.session import Job, Session, open_session

_STALE: Final = "stale"
_CONSOLIDATION: Final = "consolidation"
_ACTIONS: Final = {
    "allocate": allocate,
    _CONSOLIDATION: consolidate,
    "reclaim": reclaim,
    "preempt": preempt,
}

#: States in which a pod counts for what its queue requests.
_REQUESTED: Final = (PodState.RUNNING, PodState.BINDING, PodState.PENDING)

#: States of pods that are pending in the next round.
_STOPPING: Final = (PodState.RELEASING, PodState.PIPELINED)

_OPTIONS: Final = ("stale_grace_s",)


class Rounds:
    """The state of a case; `run` plays one round, and `turn_over` goes on to the next one."""

    def __init__(self, case: Mapping[str, Any]) -> None:
        """Read the case; raises MalformedCase if it cannot be run as written."""
        self._spec = read_spec(case, MEGABYTE_UNITS)
        self._shares = FairShareTree(self._spec.tree)
        self._nodes = read_nodes(case)
        self.rooms = self._empty_rooms()
        self.jobs = read_jobs(case, least_device_memory(self.rooms))
        words = list(objects_in(case, "jobs"))
        self._terminating = {each["name"] for each in words if each.get("terminating")}
        #: Seconds for which a job has been stale, by name.
        self._stale_for = {each["name"]: part(each, "stale_for_s", int, 0) for each in words}
        options = part(case, "options", dict)
        check_parts("options", options, _OPTIONS)
        self._grace = part(options, "stale_grace_s", int)
        self._actions = part(case, "actions", list)
        unknown = [each for each in self._actions if each != _STALE and each not in _ACTIONS]
        if unknown:
            raise MalformedCase(f"actions has the unknown word {unknown[0]!r}")
        #: Pods that had to stop already before the round.
        self._stopping_before = 0

    def run(self) -> None:
        """Compute fair shares and run all actions of the case."""
        self._stopping_before = self._count(PodState.RELEASING)
        session = self._open_session()
        for action in self._actions:
            if action == _STALE:
                list(evict_stale(session, self._is_due))
                continue
            jobs = waiting_jobs(session)
            if action == _CONSOLIDATION:
                jobs = [each for each in jobs if each.is_preemptible]
            for found in _ACTIONS[action](session, session.turns(jobs)):
                if isinstance(found, Start) and not found.waits and not _runs(found.job):
                    found.job.started = NOW

    def counts(self) -> dict[str, int]:
        """Return the number of pods that the round starts, evicts and lets wait for others."""
        moved = sum(pod.has_run for job in self.jobs for pod in job.pods)
        releasing = self._count(PodState.RELEASING)
        return {
            "binds": self._count(PodState.BINDING),
            "evictions": releasing + moved - self._stopping_before,
            "pipelined": self._count(PodState.PIPELINED),
        }

    def turn_over(self) -> None:
        """Go on to the time when starting pods run and stopping pods are pending again."""
        for job in self.jobs:
            for pod in job.pods:
                pod.former, pod.has_run = None, False
                if pod.state is PodState.BINDING:
                    pod.state = PodState.RUNNING
                elif pod.state in _STOPPING and job.name not in self._terminating:
                    pod.state, pod.node, pod.devices = PodState.PENDING, None, ()

    def _count(self, state: PodState) -> int:
        return sum(pod.state is state for job in self.jobs for pod in job.pods)

    def _empty_rooms(self) -> Rooms:
        return Rooms(NodeRoom(each.name, each) for each in self._nodes)

    def _open_session(self) -> Session:
        self.rooms = self._empty_rooms()
        total = NOTHING
        for room in self.rooms.values():
            total = plus(total, room.capacity)
        for pod in (pod for job in self.jobs for pod in job.pods):
            if pod.node is not None:
                if pod.node not in self.rooms:
                    raise MalformedCase(f"a pod is on the unknown node {pod.node!r}")
                self.rooms[pod.node].start(pod)
                if pod.state is PodState.RELEASING:
                    self.rooms[pod.node].evict(pod)
        shares = self._shares.compute(total, self._requests(), k_value=1.0)
        return open_session(self._spec, self.rooms, self.jobs, shares, total, now=NOW)

    def _requests(self) -> dict[str, Amounts]:
        """Return what each queue and those below it request."""
        tree, found = self._spec.tree, dict.fromkeys(self._spec.tree.members, NOTHING)
        for job in self.jobs:
            if job.queue in tree.members:
                amounts = requested(pod for pod in job.pods if pod.state in _REQUESTED)
                for name in tree.path(job.queue):
                    found[name] = plus(found[name], amounts)
        return found

    def _is_due(self, job: Job) -> bool:
        return 0 <= self._grace <= self._stale_for[job.name]


def _runs(job: Job) -> bool:
    return any(pod.state is PodState.RUNNING for pod in job.pods)
