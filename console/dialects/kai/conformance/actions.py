"""Cases of whole actions and rounds: which pods start, wait or stop, and where."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isclose
from typing import Any, Final, TypeVar

from console.dialects.conformance.differences import single, unknown_parts
from console.dialects.conformance.parts import MalformedCase, part
from console.dialects.conformance.result import Result, Verdict, judged
from console.dialects.kai.conformance.action_parts import NOW, check_parts
from console.dialects.kai.conformance.action_rounds import Rounds
from console.dialects.kai.conformance.case_values import MEGABYTE_UNITS
from console.dialects.kai.conformance.runner import Runner
from console.engine.disciplines.fairshare.gangs import Pod, requested
from console.engine.disciplines.fairshare.resources import RESOURCES
from console.engine.disciplines.fairshare.session import Job

#: Flags of features that the product does not have -> the noun for them.
_UNSUPPORTED: Final = {
    "mig": "slices of devices (MIG)",
    "dra": "device claims",
    "topology": "topology constraints",
    "affinity": "affinity between pods",
    "custom_plugins": "a choice of plugins",
}

_CASE: Final = (
    "id",
    "type",
    "source",
    "actions",
    "rounds",
    "options",
    "nodes",
    "queues",
    "jobs",
    "expect",
    "pool",
    "flags",
)
_EXPECT: Final = ("jobs", "pods", "nodes", "at_most")
_OF_POD: Final = ("state", "node", "devices", *RESOURCES)
_OF_JOB: Final = (*_OF_POD, "last_start_at_least_s_ago")
_OF_NODE: Final = ("idle_gpu", "releasing_gpu")

Item = TypeVar("Item")

#: (node, number) of the devices of some pods, by node and name of the group in the case.
_Devices = dict[tuple[str, str], set[tuple[str, int]]]


def _run_actions(name: str, case: Mapping[str, Any], engine: object) -> Result:
    features = [_UNSUPPORTED[each] for each in part(case, "flags", list) if each in _UNSUPPORTED]
    if features:
        sentence = f"it needs {' and '.join(features)}, which this version does not support."
        return Result(name, Verdict.NOT_SUPPORTED, (sentence,))
    check_parts("a case", case, _CASE)
    return judged(name, tuple(_differences(case)))


def _differences(case: Mapping[str, Any]) -> Iterator[str]:
    expect, state = part(case, "expect", dict), Rounds(case)
    yield from unknown_parts(expect, _EXPECT)
    if case.get("rounds") is None:
        state.run()
        yield from _at_most(expect, state)
        yield from _states(expect, state)
        return
    rounds = part(case, "rounds", dict)
    for _ in range(part(rounds, "until_match", int)):
        state.run()
        yield from _at_most(expect, state)
        state.turn_over()
    yield from _states(expect, state)
    for index in range(part(rounds, "after_match", int)):
        state.run()
        found = (*_at_most(expect, state), *_states(expect, state))
        yield from (f"In round {index + 1} after the match, {each}" for each in found)
        state.turn_over()


def _at_most(expect: Mapping[str, Any], state: Rounds) -> Iterator[str]:
    """Compare the numbers of changed pods with their bounds."""
    bounds, counts = part(expect, "at_most", dict, {}), state.counts()
    yield from unknown_parts(bounds, counts)
    for what, bound in bounds.items():
        if counts.get(what, 0) > bound:
            yield f"{what} is {counts[what]}, but expected to be at most {bound}."


def _states(expect: Mapping[str, Any], state: Rounds) -> Iterator[str]:
    """Compare the pods, jobs and nodes that are listed."""
    devices: _Devices = {}
    jobs = {each.name: each for each in state.jobs}
    for name, words in part(expect, "jobs", dict, {}).items():
        job = _listed(jobs, name)
        yield from unknown_parts(words, _OF_JOB)
        yield from _amounts(name, list(job.pods), words)
        yield from _start(job, words)
        for pod in job.pods:
            yield from _pod(pod, words)
            _note_devices(pod, words, devices)
    pods = {pod.name: pod for job in state.jobs for pod in job.pods}
    for name, words in part(expect, "pods", dict, {}).items():
        pod = _listed(pods, name)
        yield from unknown_parts(words, _OF_POD)
        yield from _amounts(name, [pod], words)
        yield from _pod(pod, words)
        _note_devices(pod, words, devices)
    yield from _nodes(expect, state)
    yield from _groups_of_devices(devices)


def _listed(items: Mapping[str, Item], name: str) -> Item:
    if name not in items:
        raise MalformedCase(f"expect has the unknown name {name!r}")
    return items[name]


def _pod(pod: Pod, words: Mapping[str, Any]) -> Iterator[str]:
    if "state" in words:
        yield from single(f"the state of {pod.name}", words["state"], pod.state.value)
    # The node of a pending pod is where it ran before, which does not matter.
    if "node" in words and words.get("state") != "pending":
        yield from single(f"the node of {pod.name}", words["node"], pod.node)


def _amounts(name: str, pods: list[Pod], words: Mapping[str, Any]) -> Iterator[str]:
    """Compare what pods request together; shares of devices by memory are no GPUs in cases."""
    stated = requested(pods)
    by_memory = requested(each for each in pods if each.need.share and each.need.share.memory)
    stated = stated._replace(gpu=stated.gpu - by_memory.gpu)
    for resource, amount, unit in zip(RESOURCES, stated, MEGABYTE_UNITS, strict=True):
        if resource in words and not isclose(words[resource], amount / unit, abs_tol=1e-6):
            yield f"{resource} of {name} is {amount / unit}, but expected {words[resource]}."


def _start(job: Job, words: Mapping[str, Any]) -> Iterator[str]:
    """Compare how long ago a job started."""
    if "last_start_at_least_s_ago" in words:
        least = words["last_start_at_least_s_ago"]
        if job.started is None or NOW - job.started < least * 1000:
            yield f"{job.name} started later than {least} s ago, but expected earlier."


def _nodes(expect: Mapping[str, Any], state: Rounds) -> Iterator[str]:
    for name, words in part(expect, "nodes", dict, {}).items():
        yield from unknown_parts(words, _OF_NODE)
        room = _listed(state.rooms, name)
        found = {"idle_gpu": room.idle_gpus, "releasing_gpu": room.future_gpus - room.idle_gpus}
        for what in words.keys() & found.keys():
            yield from single(f"{what} of {name}", words[what], found[what])


def _note_devices(pod: Pod, words: Mapping[str, Any], devices: _Devices) -> None:
    if pod.node is not None:
        for group in words.get("devices", ()):
            found = devices.setdefault((pod.node, str(group)), set())
            found.update((pod.node, number) for number in pod.devices)


def _groups_of_devices(devices: _Devices) -> Iterator[str]:
    """Compare which pods share a device; the names of devices do not matter."""
    groups = [found for found in devices.values() if found]
    for found in groups:
        if len(found) > 1:
            yield f"pods are on {len(found)} devices, but expected on the same one."
    if len(set(map(frozenset, groups))) != len(groups):
        yield "pods are on the same device, but expected on different ones."


RUNNERS: Final[dict[str, Runner]] = {"kai_actions": _run_actions}
