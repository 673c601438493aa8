"""Readers of the nodes and jobs of a case of whole actions; parts that are not known are errors."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from fractions import Fraction
from itertools import count
from typing import Any, Final

from console.dialects.conformance.parts import MalformedCase, choice, objects_in, part
from console.dialects.kai.conformance.case_values import MEGABYTE_UNITS, thousandths
from console.engine.disciplines.fairshare.gangs import Pod, PodGroup, PodState
from console.engine.disciplines.fairshare.node_room import GPU_MEMORY_LABEL
from console.engine.disciplines.fairshare.requests import GpuShare, Need
from console.engine.disciplines.fairshare.session import Job
from console.engine.model.amounts import SCALE
from console.engine.model.inventory import Node

#: The time of all sessions, in milliseconds.
NOW: Final = 1_000_000_000

#: How long jobs with a running pod have run when a case begins, in milliseconds.
_RAN: Final = 60_000

#: Bytes in a MiB.
_MEBIBYTE: Final = 2**20

#: Above the numbers of all devices that cases name.
_FIRST_UNNAMED_DEVICE: Final = 1000

_STATES: Final = {
    each.value: each
    for each in (
        PodState.PENDING,
        PodState.RUNNING,
        PodState.RELEASING,
        PodState.PIPELINED,
        PodState.BINDING,
        PodState.FAILED,
    )
}

#: Values of parts that state nothing.
_NOTHING: Final[tuple[object, ...]] = (None, "", [], {})

_NODE: Final = ("name", "cpu", "memory", "gpu", "gpu_memory_mib", "labels")
_JOB: Final = (
    "name",
    "queue",
    "priority",
    "preemptible",
    "created",
    "min_member",
    "pods",
    "subgroups",
    "stale_for_s",
    "terminating",
)
_SUBGROUP: Final = ("name", "min_member", "path")
_POD: Final = ("name", "state", "node", "requests", "subgroup", "task_priority", "devices")
_REQUESTS: Final = ("cpu", "memory", "gpu", "gpu_memory_mib", "devices", "gpu_per_device")


def check_parts(what: str, values: Mapping[str, Any], known: Collection[str]) -> None:
    """Raise MalformedCase if *values* has a part besides *known* that is not null or empty."""
    unknown = sorted(name for name in values.keys() - set(known) if values[name] not in _NOTHING)
    if unknown:
        raise MalformedCase(f"{what} has the unknown part {unknown[0]}")


def read_nodes(case: Mapping[str, Any]) -> tuple[Node, ...]:
    """
    Return the nodes of a case.

    Raises MalformedCase if one cannot be read.
    """
    return tuple(map(_node, objects_in(case, "nodes")))


def _node(words: Mapping[str, Any]) -> Node:
    check_parts("a node", words, _NODE)
    labels = dict(part(words, "labels", dict, {}))
    if words.get("gpu_memory_mib"):
        labels[GPU_MEMORY_LABEL] = str(words["gpu_memory_mib"])
    return Node(
        name=part(words, "name", str),
        labels=labels,
        offered={
            "cpu": thousandths(words["cpu"], MEGABYTE_UNITS.cpu),
            "memory": thousandths(words["memory"], MEGABYTE_UNITS.memory),
            "gpu": thousandths(words["gpu"], MEGABYTE_UNITS.gpu),
        },
    )


def read_jobs(case: Mapping[str, Any], least_device_memory: int) -> list[Job]:
    """
    Return the jobs of a case; *least_device_memory* is that of the smallest device, in bytes.

    A running pod with a share of a device that the case does not name has that device to itself.
    Raises MalformedCase if a job cannot be read.
    """
    unnamed = count(_FIRST_UNNAMED_DEVICE)
    return [_job(each, least_device_memory, unnamed) for each in objects_in(case, "jobs")]


def _job(words: Mapping[str, Any], least: int, unnamed: Iterator[int]) -> Job:
    check_parts("a job", words, _JOB)
    groups = _groups(words)
    for index, each in enumerate(objects_in(words, "pods")):
        group = part(each, "subgroup", str, "")
        if group not in groups:
            raise MalformedCase(f"a pod is of the unknown subgroup {group!r}")
        groups[group].pods.append(_pod(each, index, least, unnamed))
    ran = any(pod.state is PodState.RUNNING for group in groups.values() for pod in group.pods)
    return Job(
        name=part(words, "name", str),
        queue=part(words, "queue", str),
        priority=part(words, "priority", int),
        is_preemptible=part(words, "preemptible", bool),
        created=part(words, "created", int),
        groups=list(groups.values()),
        started=NOW - _RAN if ran else None,
    )


def _groups(words: Mapping[str, Any]) -> dict[str, PodGroup]:
    """Return the groups of a job by name, without pods; one without a name if it states none."""
    subgroups = list(objects_in(words, "subgroups"))
    if not subgroups:
        return {"": PodGroup(minimum=part(words, "min_member", int))}
    found = {}
    for each in subgroups:
        check_parts("a subgroup", each, _SUBGROUP)
        name = part(each, "name", str)
        found[name] = PodGroup(name=name, minimum=part(each, "min_member", int))
    return found


def _pod(words: Mapping[str, Any], index: int, least: int, unnamed: Iterator[int]) -> Pod:
    check_parts("a pod", words, _POD)
    need = _need(part(words, "requests", dict))
    pod = Pod(
        name=part(words, "name", str),
        request=need.amounts(least),
        need=need,
        priority=words.get("task_priority"),
        created=index,
        state=choice(words, "state", _STATES, ""),
    )
    # A pending pod may name the node on which it ran before.
    if pod.state is not PodState.PENDING and words.get("node"):
        pod.node = part(words, "node", str)
        pod.devices = tuple(map(int, part(words, "devices", list, [])))
        if need.share is not None and not pod.devices:
            pod.devices = tuple(next(unnamed) for _ in range(need.share.devices))
    return pod


def _need(words: Mapping[str, Any]) -> Need:
    check_parts("requests", words, _REQUESTS)
    gpu, share = Fraction(str(words.get("gpu", 0))), None
    devices = part(words, "devices", int, 1)
    if words.get("gpu_memory_mib"):
        memory = thousandths(words["gpu_memory_mib"], _MEBIBYTE * SCALE)
        share = GpuShare(devices=devices, memory=memory)
    elif words.get("gpu_per_device"):
        share = GpuShare(devices=devices, portion=thousandths(words["gpu_per_device"], SCALE))
    elif gpu % 1:
        share = GpuShare(portion=thousandths(words["gpu"], SCALE))
    return Need(
        cpu=thousandths(words.get("cpu", 0), MEGABYTE_UNITS.cpu),
        memory=thousandths(words.get("memory", 0), MEGABYTE_UNITS.memory),
        gpus=0 if share else int(gpu),
        share=share,
    )
