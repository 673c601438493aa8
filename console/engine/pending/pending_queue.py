"""
Pending queue: the pending classes of one queue in order, active or inadmissible.

Classes are ordered by priority, then submission of their head. The costs of requeueing all
classes, marking all inadmissible and finding the head do not depend on their number.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator
from sys import maxsize
from typing import TypeAlias

from console.engine.model.policy import Strategy
from console.engine.pending.min_requests import MinRequests
from console.engine.pending.pending_class import Pending, PendingClass, class_key, min_requests_of

#: (-priority, sequence of the head, class key)
_Place: TypeAlias = tuple[int, int, str]

_BEFORE_ALL: _Place = (-maxsize, 0, "")
_AFTER_ALL: _Place = (maxsize, 0, "")

#: In place of a requeue count: inadmissible, and not affected by `requeue_all`.
_FOR_GOOD = maxsize


class PendingQueue:
    """The pending classes of one queue: the sticky workload first, then by priority and age."""

    def __init__(self, strategy: Strategy = Strategy.BEST_EFFORT_FIFO) -> None:
        self.strategy = strategy
        self.classes: dict[str, PendingClass] = {}
        #: The latest preempting workload of the queue, which goes first (Kueue, spec 3.6).
        self.sticky: Pending | None = None
        #: The minimum requests of its classes.
        self.min_requests = MinRequests()
        #: Keys of classes without a lasting verdict, which may fit.
        self.open: set[str] = set()
        self._count = 0
        #: Keys of classes that gained a member since the last announcement.
        self._fresh: dict[str, None] = {}
        #: The places of all classes, sorted.
        self._order: list[_Place] = []
        #: All classes before this place are inadmissible.
        self._from = _BEFORE_ALL
        #: Number of calls of `requeue_all`.
        self._requeues = 0
        #: Counter of new classes, single requeues and calls of `set_all_inadmissible`.
        self._clock = 0
        #: Classes last requeued alone before this clock are inadmissible until `requeue_all`.
        self._inadmissible_before = 0

    def __len__(self) -> int:
        return self._count

    @property
    def is_strict(self) -> bool:
        """Whether no workload may overtake the head."""
        return self.strategy is Strategy.STRICT_FIFO

    @property
    def highest(self) -> int | None:
        """The highest priority of a pending workload."""
        return -self._order[0][0] if self._order else None

    def join(self, pending: Pending, key: str | None = None) -> PendingClass:
        """
        Add a workload to its class, which is created for the first member.

        *key* is the key of the class, if known.
        """
        route = pending.route
        assert route.queue is not None
        key = key or class_key(pending)
        pending.class_key = key
        cls = self.classes.get(key)
        if cls is None:
            self._clock += 1
            cls = self.classes[key] = PendingClass(
                key=key,
                queue=route.queue,
                priority=pending.priority,
                min_requests=min_requests_of(pending.workload),
                requeued_at=self._clock,
            )
            cls.add(pending)
            self.min_requests.add(key, cls.min_requests)
            self.open.add(key)
            self._stand(cls)
        elif pending.workload.sequence < cls.head.workload.sequence:
            self._go(_place(cls))
            cls.add(pending)
            self._stand(cls)
        else:
            cls.add(pending)
        cls.unannounced[pending.workload.sequence] = pending
        self._fresh[key] = None
        self._count += 1
        return cls

    def leave(self, pending: Pending) -> None:
        """Remove a workload from its class; an empty class is removed."""
        cls = self.classes[pending.class_key]
        before = _place(cls) if cls.head is pending else None
        cls.remove(pending)
        cls.unannounced.pop(pending.workload.sequence, None)
        self._count -= 1
        if self.sticky is pending:
            self.sticky = None
        if before is not None:
            self._go(before)
            if cls:
                self._stand(cls)
        if not cls:
            del self.classes[cls.key]
            self.min_requests.remove(cls.key)
            self.open.discard(cls.key)

    def head(self) -> Pending | None:
        """Return the workload that has the next turn, or None when all are inadmissible."""
        if self.sticky is not None and not self.is_strict:
            cls = self.classes[self.sticky.class_key]
            if not self.is_inadmissible(cls):
                return self.sticky
        first = next(self.active(), None)
        if first is None:
            self._from = _AFTER_ALL
            return None
        self._from = _place(first)
        return first.head

    def active(self) -> Iterator[PendingClass]:
        """Yield admissible classes in order; no workload may join or leave meanwhile."""
        for index in range(bisect_left(self._order, self._from), len(self._order)):
            cls = self.classes[self._order[index][2]]
            if not self.is_inadmissible(cls):
                yield cls

    def in_order(self) -> Iterator[PendingClass]:
        """Yield all classes in order; no workload may join or leave meanwhile."""
        return (self.classes[key] for _, _, key in self._order)

    def is_inadmissible(self, cls: PendingClass) -> bool:
        """Return whether a class is inadmissible."""
        return cls.inadmissible_in >= self._requeues or cls.requeued_at < self._inadmissible_before

    def set_inadmissible(self, cls: PendingClass) -> None:
        """
        Give a class no turn until `requeue_all`.

        A class whose route has a problem, or that yields, is not requeued by it.
        """
        head = cls.head
        for_good = head.route.problem is not None or head.yields_to is not None
        cls.inadmissible_in = _FOR_GOOD if for_good else self._requeues

    def set_all_inadmissible(self) -> None:
        """Mark every class inadmissible until `requeue_all`."""
        self._clock += 1
        self._inadmissible_before = self._clock
        self._from = _AFTER_ALL

    def requeue_all(self) -> None:
        """Requeue every class, except those whose route has a problem or that yield."""
        self._requeues += 1
        self._inadmissible_before = 0
        self._from = _BEFORE_ALL

    def requeue(self, cls: PendingClass) -> None:
        """Requeue one class, if it is inadmissible."""
        if self.is_inadmissible(cls):
            self._clock += 1
            cls.inadmissible_in, cls.requeued_at = -1, self._clock
            self._from = min(self._from, _place(cls))

    def fresh(self) -> list[PendingClass]:
        """Return the classes that workloads joined since the last call."""
        keys, self._fresh = self._fresh, {}
        return [self.classes[key] for key in keys if key in self.classes]

    def position(self, pending: Pending) -> int | None:
        """
        Return the position of a pending workload among those that could run, from 1.

        None for one that is deactivated, or can never run under the present policy.
        """
        if not self.classes[pending.class_key].has_position:
            return None
        sequence, priority = pending.workload.sequence, pending.priority
        ahead = 0
        for cls in self.classes.values():
            if not cls.has_position:
                continue
            if cls.priority > priority:
                ahead += len(cls)
            elif cls.priority == priority:
                ahead += cls.ahead_of(sequence)
        return ahead + 1

    def cannot_run(self) -> int:
        """Return the number of pending workloads that can never run under the present policy."""
        return sum(len(cls) for cls in self.classes.values() if cls.cannot_run)

    def without_position(self) -> int:
        """Return the number of pending workloads without a position."""
        return sum(len(cls) for cls in self.classes.values() if not cls.has_position)

    def _stand(self, cls: PendingClass) -> None:
        place = _place(cls)
        insort(self._order, place)
        if place < self._from and not self.is_inadmissible(cls):
            self._from = place

    def _go(self, place: _Place) -> None:
        del self._order[bisect_left(self._order, place)]


def _place(cls: PendingClass) -> _Place:
    return -cls.priority, cls.head.workload.sequence, cls.key
