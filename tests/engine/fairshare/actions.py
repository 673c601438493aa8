"""Cases of whole actions and rounds: which pods start, wait or stop, and where."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from math import isclose
from typing import Any, Final

from console.dialects.conformance.differences import single, unknown_parts
from console.dialects.conformance.parts import MalformedCase, objects_in, part
from console.dialects.conformance.result import Result, judged
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
from console.engine.disciplines.fairshare.gangs import Pod, PodGroup, PodState, requested
from console.engine.disciplines.fairshare.node_room import (
    GPU_MEMORY_LABEL,
    NodeRoom,
    Rooms,
    least_device_memory,
)
from console.engine.disciplines.fairshare.requests import GpuShare, Need
from console.engine.disciplines.fairshare.resources import NOTHING, Amounts, PerResource, plus
from console.engine.disciplines.fairshare.session import Job, Session, open_session
from console.engine.disciplines.fairshare.spec import FairshareSpec
from console.engine.model.amounts import SCALE
from console.engine.model.inventory import Node
from tests.engine.fairshare.conformance import _MEGABYTE_UNITS, _spec

_MIB: Final = 1024 * 1024

_NOW: Final = 1_000_000_000

_ACTIONS: Final = {
    "allocate": allocate,
    "consolidation": consolidate,
    "reclaim": reclaim,
    "preempt": preempt,
}

_PENDING_AGAIN: Final = (PodState.RELEASING, PodState.PIPELINED)


class _World:
    """The queues, nodes and jobs of a case, from one round to the next."""

    def __init__(self, case: Mapping[str, Any]) -> None:
        self.spec: FairshareSpec = _spec(case, _MEGABYTE_UNITS)
        self.shares = FairShareTree(self.spec.tree)
        self.nodes = [_node(each) for each in objects_in(case, "nodes")]
        rooms = self._empty_rooms()
        least = least_device_memory(rooms)
        self.jobs = [_job(each, least) for each in objects_in(case, "jobs")]
        self.terminating = {
            each["name"] for each in objects_in(case, "jobs") if each.get("terminating")
        }
        self.stale_for = {
            each["name"]: each["stale_for_s"]
            for each in objects_in(case, "jobs")
            if "stale_for_s" in each
        }
        self.grace = part(part(case, "options", dict), "stale_grace_s", int)
        self.actions = part(case, "actions", list)
        self.rooms = Rooms()

    def run(self) -> Session:
        """Open a session and run all actions of the case."""
        self.rooms = self._empty_rooms()
        self.stopping = sum(
            pod.state is PodState.RELEASING for job in self.jobs for pod in job.pods
        )
        for job in self.jobs:
            for pod in job.pods:
                if pod.node is not None:
                    self.rooms[pod.node].start(pod)
                    if pod.state is PodState.RELEASING:
                        self.rooms[pod.node].evict(pod)
        total = NOTHING
        for room in self.rooms.values():
            total = plus(
                total, PerResource(room.capacity_cpu, room.capacity_memory, room.gpus * SCALE)
            )
        requests: dict[str, Amounts] = {}
        for job in self.jobs:
            states = (PodState.RUNNING, PodState.BINDING, PodState.PENDING)
            amounts = requested(pod for pod in job.pods if pod.state in states)
            if job.queue in self.spec.tree.members:
                for name in self.spec.tree.path(job.queue):
                    requests[name] = plus(requests.get(name, NOTHING), amounts)
        shares = self.shares.compute(total, requests, k_value=1.0)
        session = open_session(self.spec, self.rooms, self.jobs, shares, total, now=_NOW)
        for action in self.actions:
            if action == "stale":
                for _ in evict_stale(session, self._is_due):
                    pass
                continue
            jobs = waiting_jobs(session)
            if action == "consolidation":
                jobs = [each for each in jobs if each.is_preemptible]
            order = session.turns(jobs)
            for found in _ACTIONS[action](session, order):
                if isinstance(found, Start) and not found.waits:
                    if found.job.started is None or action == "allocate":
                        found.job.started = found.job.started or session.now
        return session

    def counts(self) -> dict[str, int]:
        states = [pod for job in self.jobs for pod in job.pods]
        return {
            "binds": sum(pod.state is PodState.BINDING for pod in states),
            "evictions": sum(pod.state is PodState.RELEASING or pod.has_run for pod in states)
            - self.stopping,
            "pipelined": sum(pod.state is PodState.PIPELINED for pod in states),
        }

    def turn_over(self) -> None:
        """Go on to the time when starting pods run and stopping pods are pending again."""
        for job in self.jobs:
            for pod in job.pods:
                pod.former, pod.has_run = None, False
                if pod.state is PodState.BINDING:
                    pod.state = PodState.RUNNING
                elif pod.state in _PENDING_AGAIN and job.name not in self.terminating:
                    pod.state, pod.node, pod.devices = PodState.PENDING, None, ()

    def _is_due(self, job: Job) -> bool:
        return self.grace >= 0 and self.stale_for.get(job.name, 0) >= self.grace

    def _empty_rooms(self) -> Rooms:
        return Rooms(NodeRoom(each.name, each) for each in self.nodes)


def run_actions(name: str, case: Mapping[str, Any], engine: object) -> Result:
    world = _World(case)
    expect = part(case, "expect", dict)
    rounds = case.get("rounds")

    def differences() -> Iterator[str]:
        yield from unknown_parts(expect, ("jobs", "pods", "nodes", "at_most"))
        if rounds is None:
            world.run()
            yield from _at_most(world, expect)
            yield from _states(world, expect)
            return
        for _ in range(part(rounds, "until_match", int)):
            world.run()
            yield from _at_most(world, expect)
            world.turn_over()
        yield from _states(world, expect)
        for index in range(part(rounds, "after_match", int)):
            world.run()
            yield from _at_most(world, expect)
            yield from (f"round {index} after: {each}" for each in _states(world, expect))
            world.turn_over()

    return judged(name, tuple(differences()))


def _at_most(world: _World, expect: Mapping[str, Any]) -> Iterator[str]:
    found = world.counts()
    for what, bound in part(expect, "at_most", dict, {}).items():
        if found[what] > bound:
            yield f"{what} should be at most {bound}, and is {found[what]}."


def _states(world: _World, expect: Mapping[str, Any]) -> Iterator[str]:
    devices: dict[tuple[str, str], set[tuple[str | None, int]]] = {}
    for job_name, words in part(expect, "jobs", dict, {}).items():
        job = next(each for each in world.jobs if each.name == job_name)
        yield from unknown_parts(
            words, ("state", "node", "gpu", "cpu", "memory", "devices", "last_start_at_least_s_ago")
        )
        for pod in job.pods:
            yield from _pod(f"{job_name}/{pod.name}", pod, words)
        if "last_start_at_least_s_ago" in words:
            ago = (_NOW - job.started) / 1000 if job.started is not None else None
            if ago is None or ago < words["last_start_at_least_s_ago"]:
                yield f"{job_name} started {ago} s ago."
        for pod in job.pods:
            # A pending pod may state where it ran before.
            if pod.node is not None:
                for each in words.get("devices", ()):
                    devices.setdefault((pod.node, each), set()).update(
                        (pod.node, number) for number in pod.devices
                    )
    for pod_name, words in part(expect, "pods", dict, {}).items():
        pod = next(pod for job in world.jobs for pod in job.pods if pod.name == pod_name)
        yield from unknown_parts(words, ("state", "node", "gpu", "cpu", "memory", "devices"))
        yield from _pod(pod_name, pod, words)
    for node, words in part(expect, "nodes", dict, {}).items():
        room = world.rooms[node]
        yield from single(f"idle GPUs of {node}", words.get("idle_gpu"), room.idle_gpus)
        yield from single(
            f"releasing GPUs of {node}",
            words.get("releasing_gpu"),
            room.future_gpus - room.idle_gpus,
        )
    shared = [found for found in devices.values() if found]
    for found in shared:
        if len(found) != 1:
            yield f"one device is expected, and there are {sorted(map(str, found))}."
    if len({frozenset(each) for each in shared}) != len(shared):
        yield "different devices are expected."


def _pod(name: str, pod: Pod, words: Mapping[str, Any]) -> Iterator[str]:
    if "state" in words:
        yield from single(f"the state of {name}", words["state"], pod.state.value)
    if "node" in words and words.get("state") != "pending":
        yield from single(f"the node of {name}", words["node"], pod.node)


def _node(words: Mapping[str, Any]) -> Node:
    labels = dict(part(words, "labels", dict, {}))
    if words.get("gpu_memory_mib"):
        labels[GPU_MEMORY_LABEL] = str(words["gpu_memory_mib"])
    return Node(
        name=part(words, "name", str),
        labels=labels,
        offered={
            "cpu": _exact(words["cpu"], 1),
            "memory": _exact(words["memory"], SCALE * 10**6),
            "gpu": _exact(words["gpu"], SCALE),
        },
    )


def _job(words: Mapping[str, Any], least: int) -> Job:
    groups = {
        each["name"]: PodGroup(name=each["name"], minimum=each["min_member"])
        for each in part(words, "subgroups", list, [])
    } or {"": PodGroup(name="", minimum=part(words, "min_member", int))}
    pods = objects_in(words, "pods")
    for index, each in enumerate(pods):
        group = groups[each.get("subgroup") or ""]
        need = _need(each["requests"])
        group.pods.append(
            Pod(
                name=part(each, "name", str),
                request=need.amounts(least),
                need=need,
                priority=each.get("task_priority"),
                created=index,
                state=PodState(each["state"]),
                node=each.get("node") if each["state"] != "pending" else None,
                devices=tuple(int(d) for d in each.get("devices") or ())
                if each["state"] != "pending"
                else (),
            )
        )
    for group in groups.values():
        used: dict[str, int] = {}
        for pod in group.pods:
            if pod.node and pod.need.share and not pod.devices:
                number = 10 + len(used) + part(words, "created", int) % 1000 * 10
                pod.devices = (number,)
                used[pod.name] = number
    is_running = any(each["state"] == "running" for each in pods)
    return Job(
        name=part(words, "name", str),
        queue=part(words, "queue", str),
        priority=part(words, "priority", int),
        is_preemptible=part(words, "preemptible", bool),
        created=part(words, "created", int),
        groups=list(groups.values()),
        started=_NOW - 60_000 if is_running else None,
    )


def _need(words: Mapping[str, Any]) -> Need:
    gpu, share = Fraction(str(words.get("gpu", 0))), None
    devices = int(words.get("devices", 1))
    if words.get("gpu_memory_mib"):
        share = GpuShare(devices=devices, memory=_exact(words["gpu_memory_mib"], _MIB * SCALE))
    elif words.get("gpu_per_device"):
        share = GpuShare(devices=devices, portion=_exact(words["gpu_per_device"], SCALE))
    elif gpu % 1:
        share = GpuShare(portion=_exact(gpu, SCALE))
    return Need(
        cpu=_exact(words["cpu"], 1),
        memory=_exact(words["memory"], SCALE * 10**6),
        gpus=0 if share else int(gpu),
        share=share,
    )


def _exact(value: Any, unit: int) -> int:
    return round(Fraction(str(value)) * unit)
