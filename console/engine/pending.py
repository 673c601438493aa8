"""
Who waits in one queue: classes of workloads that are alike for admission, and who is next.

Alike means: the same request, the same constraints, the same accepted flavors,
the same priority. The engine answers once for all members of a class; a class
that does not fit is *parked* until something in its tree changes (Kueue calls
this scheduling equivalence, spec 3.5).
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left, insort
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import TYPE_CHECKING, TypeAlias

from console.engine.decision import Reason
from console.engine.ledger import FlavorResource
from console.engine.matching import Obstacles
from console.engine.policy import Strategy
from console.engine.routing import Route
from console.engine.trace import TurnStep
from console.engine.workload import PodSet, Workload

if TYPE_CHECKING:
    from console.engine.disciplines import Nomination


#: What was last said about a waiting workload: (queue, priority, rule, class key).
Announced: TypeAlias = tuple[str | None, int | None, int | None, str]


@dataclass(frozen=True, slots=True)
class ScanPosition:
    """Where a walk over flavors stopped, so that the next turn resumes there (Kueue, spec 6.6)."""

    #: Pod set -> resource -> index of the last flavor looked at; -1: it was the last of its group.
    tried: Mapping[str, Mapping[str, int]]
    #: Cycle of the tree and generation of the queue in which it was noted.
    cycle: int
    generation: int


@dataclass(slots=True, eq=False)
class Pending:
    """One waiting workload with its route."""

    workload: Workload
    route: Route
    #: Per pod set, group and flavor: what keeps it off.
    obstacles: tuple[Obstacles, ...] = ()
    #: Key of its class; "" outside of every line.
    class_key: str = ""
    #: None when nothing was said about it yet.
    announced: Announced | None = None
    scan: ScanPosition | None = None
    #: Id of the workload it was stopped for, while that one still waits and goes first.
    yields_to: str | None = None
    #: Id of the workload it was last stopped for.
    preemptor: str | None = None

    @property
    def priority(self) -> int:
        """Effective priority."""
        return self.route.priority or 0


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was last found about a class: the reason, what it would take, and how it came."""

    reason: Reason
    #: What one member would take of the best flavors; empty when it was not looked at.
    asks: Mapping[FlavorResource, int] = field(default_factory=dict)
    #: For the trace; None when it was not looked at.
    nomination: Nomination | None = None
    turn: TurnStep | None = None


@dataclass(slots=True, eq=False)
class PendingClass:
    """Alike workloads of one queue, in order of submission."""

    key: str
    queue: str
    priority: int
    #: Total request of one member, in thousandths.
    requests: Mapping[str, int]
    #: It sleeps until something in its tree changes.
    parked: bool = False
    #: What was last found; None before its first turn.
    verdict: Verdict | None = None
    #: What was short in the best flavors when rows were last written, in thousandths.
    missing: Mapping[FlavorResource, int] = field(default_factory=dict)
    #: Members about which nothing was said since they joined, by sequence number.
    unannounced: dict[int, Pending] = field(default_factory=dict)
    _members: dict[int, Pending] = field(default_factory=dict)
    #: Sequence numbers in ascending order; those before *_start* have left.
    _order: list[int] = field(default_factory=list)
    _start: int = 0

    def __len__(self) -> int:
        return len(self._members)

    def __iter__(self) -> Iterator[Pending]:
        return (self._members[sequence] for sequence in self._order[self._start :])

    def __contains__(self, pending: Pending) -> bool:
        return self._members.get(pending.workload.sequence) is pending

    @property
    def head(self) -> Pending:
        """The member that was submitted first."""
        return self._members[self._order[self._start]]

    def add(self, pending: Pending) -> None:
        """Let a workload join at its place in the order of submission."""
        sequence = pending.workload.sequence
        assert sequence not in self._members, f"sequence {sequence} joined twice"
        self._members[sequence] = pending
        if not self._order or sequence > self._order[-1]:
            self._order.append(sequence)
        else:
            insort(self._order, sequence, lo=self._start)

    def remove(self, pending: Pending) -> None:
        """Let a member leave; the head leaves in constant time."""
        sequence = pending.workload.sequence
        del self._members[sequence]
        if self._order[self._start] == sequence:
            self._start += 1
            if self._start > 64 and self._start * 2 > len(self._order):
                del self._order[: self._start]
                self._start = 0
        else:
            del self._order[bisect_left(self._order, sequence, lo=self._start)]

    def ahead_of(self, sequence: int) -> int:
        """Return how many members were submitted before *sequence*."""
        return bisect_left(self._order, sequence, lo=self._start) - self._start


class Line:
    """The pending classes of one queue: the sticky workload first, then priority, submission."""

    def __init__(self, strategy: Strategy = Strategy.BEST_EFFORT_FIFO) -> None:
        self.strategy = strategy
        self.classes: dict[str, PendingClass] = {}
        #: The workload for which others were stopped last: it goes first (Kueue, spec 3.6).
        self.sticky: Pending | None = None
        self._count = 0
        #: Keys of classes that somebody joined since the last announcement.
        self._fresh: dict[str, None] = {}
        #: (-priority, sequence of the head, class key) of awake classes; stale entries are skipped.
        self._awake: list[tuple[int, int, str]] = []

    def __len__(self) -> int:
        return self._count

    @property
    def is_strict(self) -> bool:
        """Whether nobody overtakes the first."""
        return self.strategy is Strategy.STRICT_FIFO

    def join(self, pending: Pending) -> PendingClass:
        """Put a workload into its class, which is made if it is the first of its kind."""
        route = pending.route
        assert route.queue is not None
        key = class_key(pending)
        pending.class_key = key
        cls = self.classes.get(key)
        if cls is None:
            cls = self.classes[key] = PendingClass(
                key=key,
                queue=route.queue,
                priority=pending.priority,
                requests=pending.workload.total(),
            )
        cls.add(pending)
        cls.unannounced[pending.workload.sequence] = pending
        self._fresh[key] = None
        self._count += 1
        if not cls.parked and cls.head is pending:
            self._push(cls)
        return cls

    def leave(self, pending: Pending) -> None:
        """Take a workload out of its class; an empty class is forgotten."""
        cls = self.classes[pending.class_key]
        was_head = cls.head is pending
        cls.remove(pending)
        cls.unannounced.pop(pending.workload.sequence, None)
        self._count -= 1
        if self.sticky is pending:
            self.sticky = None
        if not cls:
            del self.classes[cls.key]
        elif was_head and not cls.parked:
            self._push(cls)

    def head(self) -> Pending | None:
        """Return the workload whose turn it is, or None when all are parked."""
        sticky = self.sticky
        if sticky is not None and not self.is_strict:
            cls = self.classes[sticky.class_key]
            if not cls.parked:
                return sticky
        while self._awake:
            _, sequence, key = self._awake[0]
            found = self.classes.get(key)
            if found and not found.parked and found.head.workload.sequence == sequence:
                return found.head
            heappop(self._awake)
        return None

    def park(self, cls: PendingClass) -> None:
        """Let a class sleep until `wake`."""
        cls.parked = True

    def wake(self) -> None:
        """Wake every class, but those that only another policy can help."""
        for cls in self.classes.values():
            if cls.parked and cls.head.route.problem is None:
                self.look_again(cls)

    def look_again(self, cls: PendingClass) -> None:
        """Wake one class, if it is parked."""
        if cls.parked:
            cls.parked = False
            self._push(cls)

    def fresh(self) -> list[PendingClass]:
        """Return the classes with members about which nothing was said, and forget which."""
        keys, self._fresh = self._fresh, {}
        return [self.classes[key] for key in keys if key in self.classes]

    def position(self, pending: Pending) -> int:
        """Return the place of a waiting workload in the order of the whole line, from 1."""
        sequence, priority = pending.workload.sequence, pending.priority
        ahead = 0
        for cls in self.classes.values():
            if cls.priority > priority:
                ahead += len(cls)
            elif cls.priority == priority:
                ahead += cls.ahead_of(sequence)
        return ahead + 1

    def _push(self, cls: PendingClass) -> None:
        heappush(self._awake, (-cls.priority, cls.head.workload.sequence, cls.key))


#: What the names of classes of one begin with: workloads for which others are stopping.
PREEMPTOR = "preemptor-"


def preemptor_key(workload_id: str) -> str:
    """Name the class of a workload that waits, alone, for others to stop."""
    return PREEMPTOR + workload_id


def class_key(pending: Pending) -> str:
    """Name the class of a workload: the same on every machine and in every process."""
    route = pending.route
    parts = (
        route.queue,
        pending.priority,
        route.problem,
        pending.yields_to,
        tuple(_shape(pod_set) for pod_set in pending.workload.pod_sets),
        # What keeps it off a flavor does not matter, only whether something does.
        tuple(
            tuple(tuple(obstacle is None for obstacle in group) for group in pod_set)
            for pod_set in pending.obstacles
        ),
    )
    return hashlib.blake2b(repr(parts).encode(), digest_size=16).hexdigest()


def _shape(pod_set: PodSet) -> tuple[object, ...]:
    return (
        pod_set.name,
        pod_set.count,
        pod_set.min_count,
        pod_set.group,
        tuple(sorted(pod_set.requests.items())),
    )
