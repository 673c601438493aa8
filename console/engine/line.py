"""
The line of one queue: whose turn it is, and who sleeps until something in the tree changes.

Classes stand in the order of priority, then submission of their first. Waking
everybody, parking everybody and finding the next in turn cost the same however many wait.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator
from sys import maxsize
from typing import TypeAlias

from console.engine.least import Least
from console.engine.pending import Pending, PendingClass, class_key, least_of
from console.engine.policy import Strategy

#: (-priority, sequence of the first, class key)
_Place: TypeAlias = tuple[int, int, str]

_BEFORE_ALL: _Place = (-maxsize, 0, "")
_AFTER_ALL: _Place = (maxsize, 0, "")

#: In the place of a wake-up: parked whatever wakes the others.
_FOR_GOOD = maxsize


class Line:
    """The pending classes of one queue: the sticky workload first, then priority, submission."""

    def __init__(self, strategy: Strategy = Strategy.BEST_EFFORT_FIFO) -> None:
        self.strategy = strategy
        self.classes: dict[str, PendingClass] = {}
        #: The workload for which others were stopped last: it goes first (Kueue, spec 3.6).
        self.sticky: Pending | None = None
        #: The least that anybody here asks for.
        self.least = Least()
        #: Keys of classes of which it is not known that they do not fit on their own.
        self.open: set[str] = set()
        self._count = 0
        #: Keys of classes that somebody joined since the last announcement.
        self._fresh: dict[str, None] = {}
        #: Every class at its place.
        self._order: list[_Place] = []
        #: Everybody before it is parked.
        self._from = _BEFORE_ALL
        #: How often everybody was woken, and how often somebody was.
        self._wake_ups = 0
        self._clock = 0
        #: Whoever was last woken by itself before this is parked, in this wake-up.
        self._parked_before = 0

    def __len__(self) -> int:
        return self._count

    @property
    def is_strict(self) -> bool:
        """Whether nobody overtakes the first."""
        return self.strategy is Strategy.STRICT_FIFO

    @property
    def highest(self) -> int | None:
        """The highest priority that waits here."""
        return -self._order[0][0] if self._order else None

    def join(self, pending: Pending, key: str | None = None) -> PendingClass:
        """
        Put a workload into its class, which is made if it is the first of its kind.

        *key* names the class, where that is known.
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
                least=least_of(pending.workload),
                woken_at=self._clock,
            )
            cls.add(pending)
            self.least.add(key, cls.least)
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
        """Take a workload out of its class; an empty class is forgotten."""
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
            self.least.remove(cls.key)
            self.open.discard(cls.key)

    def head(self) -> Pending | None:
        """Return the workload whose turn it is, or None when all are parked."""
        if self.sticky is not None and not self.is_strict:
            cls = self.classes[self.sticky.class_key]
            if not self.is_parked(cls):
                return self.sticky
        first = next(self.awake(), None)
        if first is None:
            self._from = _AFTER_ALL
            return None
        self._from = _place(first)
        return first.head

    def awake(self) -> Iterator[PendingClass]:
        """Yield the classes that are not parked, in order; nobody may join or leave meanwhile."""
        for index in range(bisect_left(self._order, self._from), len(self._order)):
            cls = self.classes[self._order[index][2]]
            if not self.is_parked(cls):
                yield cls

    def in_order(self) -> Iterator[PendingClass]:
        """Yield all classes, parked or not, in order; nobody may join or leave meanwhile."""
        return (self.classes[key] for _, _, key in self._order)

    def is_parked(self, cls: PendingClass) -> bool:
        """Say whether a class sleeps."""
        return cls.parked_in >= self._wake_ups or cls.woken_at < self._parked_before

    def park(self, cls: PendingClass) -> None:
        """Let a class sleep until `wake`; one that waking cannot help, until somebody else acts."""
        head = cls.head
        for_good = head.route.problem is not None or head.yields_to is not None
        cls.parked_in = _FOR_GOOD if for_good else self._wake_ups

    def park_all(self) -> None:
        """Let everybody sleep until `wake`."""
        self._clock += 1
        self._parked_before = self._clock
        self._from = _AFTER_ALL

    def wake(self) -> None:
        """Wake every class, but those that only another policy can help."""
        self._wake_ups += 1
        self._parked_before = 0
        self._from = _BEFORE_ALL

    def look_again(self, cls: PendingClass) -> None:
        """Wake one class, if it is parked."""
        if self.is_parked(cls):
            self._clock += 1
            cls.parked_in, cls.woken_at = -1, self._clock
            self._from = min(self._from, _place(cls))

    def fresh(self) -> list[PendingClass]:
        """Return the classes with members about which nothing was said, and forget which."""
        keys, self._fresh = self._fresh, {}
        return [self.classes[key] for key in keys if key in self.classes]

    def position(self, pending: Pending) -> int | None:
        """
        Return the place of a waiting workload among those that could run, from 1.

        None for one that can never run under the present policy.
        """
        if self.classes[pending.class_key].cannot_run:
            return None
        sequence, priority = pending.workload.sequence, pending.priority
        ahead = 0
        for cls in self.classes.values():
            if cls.cannot_run:
                continue
            if cls.priority > priority:
                ahead += len(cls)
            elif cls.priority == priority:
                ahead += cls.ahead_of(sequence)
        return ahead + 1

    def cannot_run(self) -> int:
        """Return how many wait that can never run under the present policy."""
        return sum(len(cls) for cls in self.classes.values() if cls.cannot_run)

    def _stand(self, cls: PendingClass) -> None:
        place = _place(cls)
        insort(self._order, place)
        if place < self._from and not self.is_parked(cls):
            self._from = place

    def _go(self, place: _Place) -> None:
        del self._order[bisect_left(self._order, place)]


def _place(cls: PendingClass) -> _Place:
    return -cls.priority, cls.head.workload.sequence, cls.key
