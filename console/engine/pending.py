"""
Who waits in one queue: classes of workloads that are alike for admission, and which class is next.

Alike means: the same request, the same matched flavors, the same priority. The
engine answers once for all members of a class; a class that does not fit is
*parked* until something that could help it changes.
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
from console.engine.routing import Route
from console.engine.workload import Workload

if TYPE_CHECKING:
    from console.engine.disciplines import Nomination


#: What was last said about a waiting workload: (queue, priority, rule, class key).
Announced: TypeAlias = tuple[str | None, int | None, int | None, str]


@dataclass(slots=True, eq=False)
class Pending:
    """One waiting workload with its route."""

    workload: Workload
    requests: dict[str, int]
    route: Route
    #: Key of its class; "" before it has joined a line.
    class_key: str = ""
    #: None when nothing was said about it yet.
    announced: Announced | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """Why a class is parked: the reason, what it would take, and what the discipline found."""

    reason: Reason
    #: What one member would take of the best flavors; empty for a held queue.
    asks: Mapping[FlavorResource, int] = field(default_factory=dict)
    #: For the trace; None for a held queue.
    nomination: Nomination | None = None


@dataclass(slots=True, eq=False)
class PendingClass:
    """Alike workloads of one queue, in order of submission."""

    key: str
    queue: str
    priority: int
    requests: Mapping[str, int]
    #: A change of any of these may let it fit.
    wants: frozenset[FlavorResource]
    #: Parked while there is a verdict.
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
    """The pending classes of one queue: priority first, then submission."""

    def __init__(self) -> None:
        self.classes: dict[str, PendingClass] = {}
        #: (-priority, sequence of the head, class key) of awake classes; stale entries are skipped.
        self._awake: list[tuple[int, int, str]] = []

    def __len__(self) -> int:
        return sum(len(cls) for cls in self.classes.values())

    def join(self, pending: Pending, wants: frozenset[FlavorResource]) -> PendingClass:
        """Put a workload into its class, which is made if it is the first of its kind."""
        route = pending.route
        assert route.queue is not None
        assert route.priority is not None
        key = class_key(route, pending.requests)
        pending.class_key = key
        cls = self.classes.get(key)
        if cls is None:
            cls = self.classes[key] = PendingClass(
                key=key,
                queue=route.queue,
                priority=route.priority,
                requests=dict(pending.requests),
                wants=wants,
            )
        cls.add(pending)
        cls.unannounced[pending.workload.sequence] = pending
        if cls.verdict is None:
            self._push(cls)
        return cls

    def leave(self, pending: Pending) -> None:
        """Take a workload out of its class; an empty class is forgotten."""
        cls = self.classes[pending.class_key]
        cls.remove(pending)
        cls.unannounced.pop(pending.workload.sequence, None)
        if not cls:
            del self.classes[cls.key]
        elif cls.verdict is None:
            self._push(cls)

    def next(self) -> PendingClass | None:
        """Return the awake class whose head is first in order, or None when all are parked."""
        while self._awake:
            _, sequence, key = self._awake[0]
            cls = self.classes.get(key)
            if cls and cls.verdict is None and cls.head.workload.sequence == sequence:
                return cls
            heappop(self._awake)
        return None

    def wake(self, freed: set[FlavorResource] | None) -> bool:
        """Wake the parked classes that *freed* could help (None: all), and say whether any was."""
        woken = False
        for cls in self.classes.values():
            if cls.verdict is not None and (freed is None or not cls.wants.isdisjoint(freed)):
                self.look_again(cls)
                woken = True
        return woken

    def look_again(self, cls: PendingClass) -> None:
        """Wake one class, if it is parked."""
        if cls.verdict is not None:
            cls.verdict = None
            self._push(cls)

    def position(self, pending: Pending) -> int:
        """Return the place of a waiting workload in the order of the whole line, from 1."""
        sequence, priority = pending.workload.sequence, pending.route.priority
        assert priority is not None
        ahead = 0
        for cls in self.classes.values():
            if cls.priority > priority:
                ahead += len(cls)
            elif cls.priority == priority:
                ahead += cls.ahead_of(sequence)
        return ahead + 1

    def _push(self, cls: PendingClass) -> None:
        heappush(self._awake, (-cls.priority, cls.head.workload.sequence, cls.key))


#: What the names of classes of one begin with: workloads whose room is being made.
PROMISE = "promise-"


def promise_key(workload_id: str) -> str:
    """Name the class of a workload that waits, alone, for the room that is made for it."""
    return PROMISE + workload_id


def class_key(route: Route, requests: Mapping[str, int]) -> str:
    """
    Name the class of a workload: the same on every machine and in every process.

    >>> class_key(Route(queue="q", priority=1), {"gpu": 1000})
    'a94c974b56c398d6d0a462825e9adf18'
    """
    accepted = tuple(tuple(failed is None for failed in group) for group in route.matches)
    parts = (route.queue, route.priority, tuple(sorted(requests.items())), accepted)
    return hashlib.blake2b(repr(parts).encode(), digest_size=16).hexdigest()
