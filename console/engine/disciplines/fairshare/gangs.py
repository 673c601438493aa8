"""Workloads as gangs of pods: whether one is ready, and which of its pods start together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from fractions import Fraction
from typing import Final

from console.engine.disciplines.fairshare.requests import Need
from console.engine.disciplines.fairshare.resources import NOTHING, Amounts, plus


class PodState(Enum):
    """What a pod does in a session."""

    PENDING = "pending"
    #: Not considered until its gates are removed.
    GATED = "gated"
    #: It starts in this session.
    BINDING = "binding"
    RUNNING = "running"
    #: It has to stop, and uses its node until it has.
    RELEASING = "releasing"
    #: It has a node, on which it starts when other pods have stopped.
    PIPELINED = "pipelined"
    #: It has ended, with or without success.
    SUCCEEDED = "succeeded"
    FAILED = "failed"


_ENDED: Final = frozenset((PodState.GATED, PodState.SUCCEEDED, PodState.FAILED))


@dataclass(slots=True, eq=False, kw_only=True)
class Pod:
    """A pod of a workload; its state changes in the course of a session."""

    name: str
    #: What queues count.
    request: Amounts
    #: What a node has to have.
    need: Need = field(default_factory=Need)
    #: Whether its role leads the others of its group.
    is_leader: bool = False
    #: Higher ones start first; None: after all that state one.
    priority: int | None = None
    created: int = 0
    state: PodState = PodState.PENDING
    #: The node that it uses, or that it is to use; None: no node.
    node: str | None = None
    #: The numbers of the devices that it shares.
    devices: tuple[int, ...] = ()
    #: Its state, node and devices before an eviction that is only tried; None: it was not evicted.
    former: tuple[PodState, str, tuple[int, ...]] | None = None
    #: Whether it has to stop elsewhere before it can start in the place for which it waits.
    has_run: bool = False

    @property
    def is_active(self) -> bool:
        """Whether it runs, is about to, or will when others have stopped."""
        state = self.state
        # Faster than a set of states, and asked very often.
        return state is PodState.RUNNING or state is PodState.BINDING or state is PodState.PIPELINED

    @property
    def is_waiting(self) -> bool:
        """Whether it may be started, or placed again after an eviction that is only tried."""
        return self.state is PodState.PENDING or (
            self.state is PodState.RELEASING and self.former is not None
        )


@dataclass(slots=True, eq=False, kw_only=True)
class PodGroup:
    """The pods of a workload of which a minimum has to run at the same time."""

    name: str = ""
    minimum: int = 1
    pods: list[Pod] = field(default_factory=list)

    @property
    def active(self) -> list[Pod]:
        """Its pods that run, are about to, or will when others have stopped."""
        return [each for each in self.pods if each.is_active]

    @property
    def waiting(self) -> list[Pod]:
        """Its pods that may be started."""
        return [each for each in self.pods if each.is_waiting]


class Elasticity(IntEnum):
    """How many pods of a workload run, compared with its minimum; smaller ones are earlier."""

    BELOW = 0
    AT = 1
    ABOVE = 2


def is_ready(groups: Iterable[PodGroup]) -> bool:
    """Return whether every group has the pods for its minimum."""
    ended = (PodState.GATED, PodState.SUCCEEDED, PodState.FAILED)
    return all(sum(pod.state not in ended for pod in each.pods) >= each.minimum for each in groups)


def elasticity(groups: Iterable[PodGroup]) -> Elasticity:
    """Return BELOW if a group is below its minimum, else ABOVE if one is above it."""
    surplus = [len(each.active) - each.minimum for each in groups]
    if any(each < 0 for each in surplus):
        return Elasticity.BELOW
    return Elasticity.ABOVE if any(each > 0 for each in surplus) else Elasticity.AT


def start_unit(groups: Sequence[PodGroup]) -> tuple[Pod, ...]:
    """
    Return the pods that start next, all or none of them.

    While groups are below their minimum: the pods that they lack for it. Then one pod of the
    group that exceeds its minimum by the smallest factor.
    """
    if len(groups) == 1 and len(groups[0].pods) == 1:
        # Most workloads have one pod.
        (pod,) = groups[0].pods
        return (pod,) if pod.is_waiting else ()
    counts = [len(each.active) for each in groups]
    lacking = [
        (group, count) for group, count in zip(groups, counts, strict=True) if count < group.minimum
    ]
    if lacking:
        return tuple(
            pod
            for group, count in lacking
            for pod in _in_order(group.waiting)[: group.minimum - count]
        )
    growing = [
        (Fraction(count, max(1, group.minimum)), group.name, waiting)
        for group, count in zip(groups, counts, strict=True)
        if (waiting := group.waiting)
    ]
    if not growing:
        return ()
    return (_in_order(min(growing, key=lambda each: each[:2])[2])[0],)


def victim_unit(groups: Iterable[PodGroup], taken: frozenset[Pod] = frozenset()) -> tuple[Pod, ...]:
    """
    Return the running pods that are preempted next, all or none of them.

    While groups are above their minimum: the last pod of the group that exceeds it by the largest
    factor. Then all pods of the workload. Pods that are *taken* count as stopped.
    """
    left: list[Pod] = []
    surplus = []
    for group in groups:
        active = [each for each in group.pods if each.is_active and each not in taken]
        if len(active) > group.minimum:
            surplus.append((Fraction(len(active), max(1, group.minimum)), group.name, active))
        left.extend(active)
    if surplus:
        return (_in_order(max(surplus, key=lambda each: each[:2])[2])[-1],)
    return tuple(left)


def requested(pods: Iterable[Pod]) -> Amounts:
    """Return the sum of the requests."""
    total = NOTHING
    for pod in pods:
        total = plus(total, pod.request)
    return total


def pods_of(groups: Iterable[PodGroup]) -> Iterator[Pod]:
    """Yield the pods of all groups."""
    for group in groups:
        yield from group.pods


def _in_order(pods: Iterable[Pod]) -> list[Pod]:
    """Return pods in the order in which they start."""
    return sorted(pods, key=_place)


def _place(pod: Pod) -> tuple[bool, bool, int, int, str]:
    priority = pod.priority
    return not pod.is_leader, priority is None, -(priority or 0), pod.created, pod.name
