"""Workloads as gangs of pods: whether one is ready, and which of its pods start together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction

from console.engine.disciplines.fairshare.resources import NOTHING, Amounts, plus


@dataclass(frozen=True, slots=True, kw_only=True)
class Pod:
    """A pod of a workload."""

    name: str
    request: Amounts
    #: Whether its role leads the others of its group.
    is_leader: bool = False
    #: Higher ones start first; None: after all that state one.
    priority: int | None = None
    created: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PodGroup:
    """The pods of a workload of which a minimum has to run at the same time."""

    name: str = ""
    minimum: int = 1
    running: Sequence[Pod] = ()
    #: Neither running nor gated.
    pending: Sequence[Pod] = ()


class Elasticity(IntEnum):
    """How many pods of a workload run, compared with its minimum; smaller ones are earlier."""

    BELOW = 0
    AT = 1
    ABOVE = 2


def is_ready(groups: Sequence[PodGroup]) -> bool:
    """Return whether every group has the pods for its minimum."""
    return all(len(each.running) + len(each.pending) >= each.minimum for each in groups)


def elasticity(groups: Sequence[PodGroup]) -> Elasticity:
    """Return BELOW if a group is below its minimum, else ABOVE if one is above it."""
    surplus = [len(each.running) - each.minimum for each in groups]
    if any(each < 0 for each in surplus):
        return Elasticity.BELOW
    return Elasticity.ABOVE if any(each > 0 for each in surplus) else Elasticity.AT


def start_unit(groups: Sequence[PodGroup]) -> tuple[Pod, ...]:
    """
    Return the pods that start next, all or none of them.

    While groups are below their minimum: the pods that they lack for it. Then one pod of the
    group that exceeds its minimum by the smallest factor.
    """
    lacking = [each for each in groups if len(each.running) < each.minimum]
    if lacking:
        return tuple(
            pod
            for group in lacking
            for pod in _in_order(group.pending)[: group.minimum - len(group.running)]
        )
    growing = [each for each in groups if each.pending]
    if not growing:
        return ()
    smallest = min(
        growing, key=lambda each: (Fraction(len(each.running), max(1, each.minimum)), each.name)
    )
    return (_in_order(smallest.pending)[0],)


def victim_unit(groups: Sequence[PodGroup]) -> tuple[Pod, ...]:
    """
    Return the running pods that are preempted next, all or none of them.

    While a group is above its minimum: its last pod. Then all pods of the workload.
    """
    for group in groups:
        if len(group.running) > group.minimum:
            return (_in_order(group.running)[-1],)
    return tuple(pod for group in groups for pod in group.running)


def requested(pods: Sequence[Pod]) -> Amounts:
    """Return the sum of the requests."""
    total = NOTHING
    for pod in pods:
        total = plus(total, pod.request)
    return total


def _in_order(pods: Sequence[Pod]) -> list[Pod]:
    """Return pods in the order in which they start."""
    return sorted(pods, key=_place)


def _place(pod: Pod) -> tuple[bool, bool, int, int, str]:
    priority = pod.priority
    return not pod.is_leader, priority is None, -(priority or 0), pod.created, pod.name
