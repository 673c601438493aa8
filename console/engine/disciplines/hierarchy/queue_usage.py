"""What applications use and ask for in each queue, and the order of queues that follows."""

from __future__ import annotations

from typing import Final

from console.engine.disciplines.hierarchy.resources import (
    NOTHING,
    Resources,
    is_positive,
    least,
    plus,
    remaining,
)
from console.engine.disciplines.hierarchy.runtime_queue import RuntimeQueue

#: The priority of an application, or a queue, for which nothing is asked.
NO_PRIORITY: Final = -(2**31)

_LEAST, _MOST = -(2**31), 2**31 - 1


class QueueUsage:
    """A queue with its usage, which includes that of the queues below it."""

    __slots__ = (
        "_fair_maximum",
        "accepting",
        "allocated",
        "children",
        "epoch",
        "order",
        "parent",
        "paths",
        "pending",
        "pending_at",
        "pending_count",
        "preempting",
        "priority",
        "queue",
        "running",
        "up",
    )

    def __init__(self, queue: RuntimeQueue, parent: QueueUsage | None) -> None:
        self.queue, self.parent = queue, parent
        self.children: dict[str, QueueUsage] = {}
        #: The queue and those above it, the root last; and their paths.
        self.up: tuple[QueueUsage, ...] = (self, *(parent.up if parent is not None else ()))
        self.paths = tuple(each.queue.path for each in self.up)
        #: Of pods with a node, also of those that have to stop.
        self.allocated: Resources = NOTHING
        #: Of pods that stop for others.
        self.preempting: Resources = NOTHING
        self.pending: Resources = NOTHING
        self.pending_count = 0
        #: Of a leaf, the number of pods that are asked for by priority.
        self.pending_at: dict[int, int] = {}
        #: Its priority among its siblings; `NO_PRIORITY`: nothing has been asked for.
        self.priority = NO_PRIORITY
        #: The number of running applications.
        self.running = 0
        #: Ids of applications that have placeholders, and do not run yet.
        self.accepting: set[str] = set()
        self._fair_maximum: Resources | None = None
        #: The heap of what is tried next, and for which epoch of the scheduler it was built.
        self.order: list[tuple[object, ...]] = []
        self.epoch = -1
        if parent is not None:
            parent.children[queue.name] = self

    @property
    def path(self) -> str:
        """The path of the queue."""
        return self.queue.path

    @property
    def maximum(self) -> Resources | None:
        """The most that may be used; None: no limit. For the root, what the nodes offer."""
        return self.queue.maximum

    @property
    def guaranteed(self) -> Resources:
        """The guarantee; empty: none."""
        return self.queue.guaranteed or NOTHING

    @property
    def has_pending(self) -> bool:
        """Whether anything is asked for."""
        return self.pending_count > 0 and is_positive(self.pending)

    # Changes

    def change_allocated(self, amount: Resources) -> None:
        """Add to the usage of the queue and those above it; *amount* may be negative."""
        for each in self.up:
            each.allocated = plus(each.allocated, amount)

    def change_pending(self, amount: Resources, count: int, priority: int) -> None:
        """Add *count* pods of a priority to what is asked for in a leaf; both may be negative."""
        for each in self.up:
            each.pending = plus(each.pending, amount)
            each.pending_count += count
        left = self.pending_at.get(priority, 0) + count
        if left:
            self.pending_at[priority] = left
        else:
            del self.pending_at[priority]
        self.update_priority()

    def update_priority(self) -> None:
        """Compute the priority again, and that of the queues above if it has changed."""
        highest = max(self.pending_at, default=NO_PRIORITY)
        for each in self.children.values():
            highest = max(highest, each.priority)
        settings = self.queue.settings
        if highest == NO_PRIORITY:
            value = highest
        elif settings.is_priority_fence:
            value = settings.priority_offset
        else:
            value = min(_MOST, max(_LEAST, highest + settings.priority_offset))
        if value != self.priority:
            self.priority = value
            if self.parent is not None:
                self.parent.update_priority()

    def change_preempting(self, amount: Resources) -> None:
        """Add to what stops for others in the queue and those above it."""
        for each in self.up:
            each.preempting = plus(each.preempting, amount)

    def accept(self, app: str) -> None:
        """Count an application, by id, that has its first placeholders."""
        for each in self.up:
            each.accepting.add(app)

    def start(self, app: str, *, is_clamped: bool = False) -> None:
        """Count an application that runs; if *is_clamped*, not beyond the maximum of a queue."""
        for each in self.up:
            each.accepting.discard(app)
            most = each.queue.applications
            if not is_clamped or not most or each.running < most:
                each.running += 1

    def stop(self, app: str, *, was_running: bool) -> None:
        """Count an application no more."""
        for each in self.up:
            each.accepting.discard(app)
            if was_running and each.running:
                each.running -= 1

    def forget_maximum(self) -> None:
        """Compute the maximum for shares again, here and below."""
        self._fair_maximum = None
        for each in self.children.values():
            each.forget_maximum()

    # Questions

    def refusing_count(self, app: str) -> QueueUsage | None:
        """Return the queue, the highest first, whose number of applications is exhausted."""
        for each in reversed(self.up):
            most = each.queue.applications
            counted = each.running + len(each.accepting)
            if most and app not in each.accepting and counted >= most:
                return each
        return None

    def refusing(self, amount: Resources) -> QueueUsage | None:
        """Return the queue, the leaf first, that has no headroom for *amount*; None: all have."""
        for each in self.up:
            maximum = each.queue.maximum
            if maximum is None:
                continue
            used = each.allocated
            for name, value in amount.items():
                if name in maximum and value > max(0, maximum[name] - used.get(name, 0)):
                    return each
        return None

    def can_charge(self, amount: Resources) -> bool:
        """
        Return whether *amount* may be used.

        Unlike for the headroom, amounts of 0 count, and the nodes need to have every resource.
        """
        for each in self.up:
            maximum, used = each.queue.maximum, each.allocated
            for name, value in amount.items():
                if maximum is not None and name in maximum:
                    if used.get(name, 0) + value > maximum[name]:
                        return False
                elif each.parent is None and value > 0:
                    return False
        return True

    def headroom(self) -> Resources | None:
        """Return what the queue and those above it may still use; None: no limit."""
        found: Resources | None = None
        for each in self.up:
            if each.queue.maximum is not None:
                found = least(found, remaining(each.queue.maximum, each.allocated))
        return found

    def share(self) -> float:
        """
        Return the largest part in use of a resource, which orders siblings.

        Of the guarantee, or of the maximum if a resource is not guaranteed.
        """
        guaranteed, maximum = self.guaranteed, self.maximum_for_shares()
        most = 0.0
        for name, used in self.allocated.items():
            whole = guaranteed.get(name)
            if whole is None:
                whole = maximum.get(name)
            if used < 0 or whole is None:
                continue
            part = used / whole if whole > 0 else (1.0 if used > 0 else 0.0)
            most = max(most, part)
        return most

    def maximum_for_shares(self) -> Resources:
        """Return the maximum of each resource: its own, or that of the nearest queue above."""
        if self._fair_maximum is None:
            above = self.parent.maximum_for_shares() if self.parent is not None else NOTHING
            own = self.queue.maximum or NOTHING
            has_nodes = self.parent is None or bool(above)
            self._fair_maximum = {**above, **own} if has_nodes else NOTHING
        return self._fair_maximum
