"""
Pending classes: pending workloads that are equal for admission.

Members have the same request, the same constraints, the same accepted flavors and
the same priority. The engine evaluates all members of a class once; a class
that does not fit is *inadmissible* until its tree changes (Kueue
calls this scheduling equivalence, spec 3.5).
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left, insort
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from console.engine.model.amounts import FlavorResource
from console.engine.model.preemption_loops import NEVER, Stops
from console.engine.model.reasons import Reason
from console.engine.model.route import Route
from console.engine.model.trace import TurnStep
from console.engine.model.workload import PodSet, Workload
from console.engine.pending.eligibility import ELIGIBLE, Eligibility

if TYPE_CHECKING:
    from console.engine.model.nomination import Nomination


#: The last announcement for a pending workload: (queue, priority, rule, class key).
Announced: TypeAlias = tuple[str | None, int | None, int | None, str]


@dataclass(frozen=True, slots=True)
class ScanPosition:
    """Where a flavor scan stopped, so that the next turn resumes there (Kueue, spec 6.6)."""

    #: Pod set -> resource -> index of the last flavor tried; -1: it was the last of its group.
    tried: Mapping[str, Mapping[str, int]]
    #: Cycle of the tree and generation of the queue in which it was recorded.
    cycle: int
    generation: int


@dataclass(slots=True, eq=False)
class Pending:
    """One pending workload with its route."""

    workload: Workload
    route: Route
    #: Its eligibility for the queue of its route, shared by equal workloads.
    eligibility: Eligibility = ELIGIBLE
    #: Key of its class; "" outside every pending queue.
    class_key: str = ""
    #: None before the first announcement.
    announced: Announced | None = None
    scan: ScanPosition | None = None
    #: Id of the workload that preempted it in a loop and now goes first.
    yields_to: str | None = None
    #: Its evictions for preemptors that have not ended.
    stopped_for: Stops = field(default_factory=lambda: NEVER)

    @property
    def priority(self) -> int:
        """Effective priority."""
        return self.route.priority or 0

    @property
    def place(self) -> tuple[int, int]:
        """Its sort key in the queue: by priority, then submission."""
        return -self.priority, self.workload.sequence


@dataclass(frozen=True, slots=True)
class Verdict:
    """The last result for a class: the reason, the usage of one member, and the turn."""

    reason: Reason
    #: The usage of one member in the best flavors; empty when the class was not evaluated.
    usage: Mapping[FlavorResource, int] = field(default_factory=dict)
    #: For the trace; None when the class was not evaluated.
    nomination: Nomination | None = None
    turn: TurnStep | None = None

    @property
    def is_lasting(self) -> bool:
        """Whether the verdict stays the same as long as quota is short."""
        return self.turn is None and self.nomination is not None and self.nomination.is_lasting


@dataclass(slots=True, eq=False)
class PendingClass:
    """Equal workloads of one queue, in order of submission."""

    key: str
    queue: str
    priority: int
    #: The last result; None before its first turn.
    verdict: Verdict | None = None
    #: The least that a member needs of each resource in one pod set, in thousandths.
    min_requests: Mapping[str, int] = field(default_factory=dict)
    #: Set by the queue: its counter of requeues when the class became inadmissible, and its clock
    #: when the class was last requeued alone.
    inadmissible_in: int = -1
    requeued_at: int = 0
    #: Shortage in the best flavors when rows were last written, in thousandths.
    missing: Mapping[FlavorResource, int] = field(default_factory=dict)
    #: The announcement of the member that was announced last.
    announcement: Announced | None = None
    #: Members that were not announced since they joined, by sequence number.
    unannounced: dict[int, Pending] = field(default_factory=dict)
    _members: dict[int, Pending] = field(default_factory=dict)
    #: Sequence numbers in ascending order; those before *_start* have left.
    _order: list[int] = field(default_factory=list)
    _start: int = 0

    def __len__(self) -> int:
        return len(self._members)

    def __iter__(self) -> Iterator[Pending]:
        return (self._members[sequence] for sequence in self._order[self._start :])

    def members(self) -> Iterator[Pending]:
        """
        Yield the members like `__iter__`, but without a copy of their order.

        The class may not change meanwhile.
        """
        for at in range(self._start, len(self._order)):
            yield self._members[self._order[at]]

    def __contains__(self, pending: Pending) -> bool:
        return self._members.get(pending.workload.sequence) is pending

    @property
    def cannot_run(self) -> bool:
        """Whether its members can never run under the present policy."""
        return self.verdict is not None and self.verdict.reason.cannot_run

    @property
    def has_position(self) -> bool:
        """Whether its members have a position in the queue, as far as known."""
        return self.verdict is None or self.verdict.reason.has_position

    @property
    def head(self) -> Pending:
        """The member that was submitted first."""
        return self._members[self._order[self._start]]

    def add(self, pending: Pending) -> None:
        """Add a workload, in the order of submission."""
        sequence = pending.workload.sequence
        assert sequence not in self._members, f"sequence {sequence} joined twice"
        self._members[sequence] = pending
        if not self._order or sequence > self._order[-1]:
            self._order.append(sequence)
        else:
            insort(self._order, sequence, lo=self._start)

    def remove(self, pending: Pending) -> None:
        """Remove a member; the head is removed in constant time."""
        sequence = pending.workload.sequence
        del self._members[sequence]
        if self._order[self._start] == sequence:
            self._start += 1
            if self._start > 64 and self._start * 2 > len(self._order):
                del self._order[: self._start]
                self._start = 0
        else:
            del self._order[bisect_left(self._order, sequence, lo=self._start)]

    def announce(self, pending: Pending) -> bool:
        """Record the announcement of a member; return whether it differs from its last one."""
        route = pending.route
        announcement = (route.queue, route.priority, route.rule, self.key)
        if announcement != self.announcement:
            self.announcement = announcement
        is_new = pending.announced != announcement
        # Members with the same announcement share one tuple, because a class may have many.
        pending.announced = self.announcement
        return is_new

    def ahead_of(self, sequence: int) -> int:
        """Return the number of members that were submitted before *sequence*."""
        return bisect_left(self._order, sequence, lo=self._start) - self._start


#: Prefix of the keys of classes with a preempting workload as their only member.
PREEMPTOR = "preemptor-"


def preemptor_key(workload_id: str) -> str:
    """Return the key of the class of a preempting workload, which has no other member."""
    return PREEMPTOR + workload_id


def min_requests_of(workload: Workload) -> dict[str, int]:
    """
    Return the largest request of a pod set of *workload* with its fewest pods, by resource.

    If no flavor has that much, the workload cannot start.
    """
    least: dict[str, int] = {}
    for pod_set in workload.pod_sets:
        count = pod_set.minimum
        for resource, amount in pod_set.requests.items():
            if amount * count > least.get(resource, 0):
                least[resource] = amount * count
    return least


def class_key(pending: Pending) -> str:
    """Return the key of the class of a workload, the same in every process on every machine."""
    route = pending.route
    parts = (
        route.queue,
        pending.priority,
        route.problem,
        pending.yields_to,
        tuple(_shape(pod_set) for pod_set in pending.workload.pod_sets),
        pending.eligibility.alike,
    )
    return _digest(parts)


@lru_cache(maxsize=50_000)
def _digest(parts: tuple[object, ...]) -> str:
    return hashlib.blake2b(repr(parts).encode(), digest_size=16).hexdigest()


def _shape(pod_set: PodSet) -> tuple[object, ...]:
    return (
        pod_set.name,
        pod_set.count,
        pod_set.min_count,
        pod_set.group,
        tuple(sorted(pod_set.requests.items())),
    )
