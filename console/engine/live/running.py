"""Running workloads of one queue in the order of preemption, and their usage by priority."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from console.engine.model.amounts import FlavorResource, Usage
from console.engine.model.decision import Assignment
from console.engine.model.preemption_loops import NEVER, Stops
from console.engine.model.reasons import Reason
from console.engine.model.route import Route
from console.engine.model.workload import Workload


@dataclass(slots=True, eq=False)
class Running:
    """One admitted workload with its usage until its release, also while it is evicted."""

    workload: Workload
    #: None when it was admitted without a queue.
    queue: str | None
    priority: int
    assignment: Assignment
    usage: Mapping[FlavorResource, int]
    #: Position in the order of reservations: larger is later.
    reservation: int
    #: Route under the present policy; None when another policy admitted it.
    route: Route | None = None
    #: Whether it was preempted or drained; it uses its quota until it is released.
    evicting: bool = False
    #: The reason of the eviction, or of the last resize; None: neither.
    reason: Reason | None = None
    #: Id of the workload for which it is evicted.
    preemptor: str | None = None
    #: Its evictions for preemptors that have not ended.
    stopped_for: Stops = field(default_factory=lambda: NEVER)
    #: The engine's time of its admission, in milliseconds since 1970 in UTC; None: not known.
    started: int | None = None
    #: The engine's time since which fewer pods of a pod set run than its minimum, because some were
    #: released, or lost with their node; None: no pod set lacks pods for that reason.
    short_since: int | None = None


class RunningSet:
    """The running workloads of one queue, by priority and reservation."""

    def __init__(self) -> None:
        self._by_priority: dict[int, dict[str, Running]] = {}
        #: The workloads that are not evicting.
        self._staying: dict[int, dict[str, Running]] = {}
        #: Usage by priority, in thousandths.
        self._held: dict[int, dict[FlavorResource, int]] = {}
        #: The evicting workloads by id; and in the order of `below`, computed on access.
        self._evicting: dict[str, Running] = {}
        self._evicting_in_order: tuple[Running, ...] | None = ()
        #: The priorities whose workloads were not added in the order of reservations. They are
        #: sorted on access, so that many changed priorities cost one sort.
        self._unsorted: set[int] = set()
        self._count = 0
        #: The lowest priority of a running workload; None when nothing runs.
        self.lowest: int | None = None
        #: Whether the dictionaries are shared with the set that this one was copied from.
        self._is_shared = False

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Running]:
        self._sort()
        for alike in self._by_priority.values():
            yield from alike.values()

    def add(self, running: Running) -> None:
        """Add a workload; mostly, it has the latest reservation of its priority."""
        self._own()
        priority = running.priority
        alike = self._by_priority.get(priority)
        if alike is None:
            alike = self._by_priority[priority] = {}
            self._held[priority] = {}
            if self.lowest is None or priority < self.lowest:
                self.lowest = priority
        self._insert(alike, running)
        if running.evicting:
            self._evicting[running.workload.id] = running
            self._evicting_in_order = None
        else:
            self._insert(self._staying.setdefault(priority, {}), running)
        held = self._held[priority]
        for key, amount in running.usage.items():
            held[key] = held.get(key, 0) + amount
        self._count += 1

    @property
    def priorities(self) -> tuple[int, ...]:
        """The priorities of running workloads, ascending."""
        return tuple(sorted(self._by_priority))

    def copy(self) -> RunningSet:
        """
        Return a set of the same workloads that can change independently.

        The dictionaries are copied on its first change; this set must not change before.
        """
        self._sort()
        copy = RunningSet()
        copy._by_priority, copy._held = self._by_priority, self._held
        copy._staying, copy._evicting = self._staying, self._evicting
        copy._evicting_in_order = self._evicting_in_order
        copy._count, copy.lowest = self._count, self.lowest
        copy._is_shared = True
        return copy

    def replace(self, running: Running) -> None:
        """Replace the workload with the id and priority of *running*, and its usage."""
        self._own()
        priority, uid = running.priority, running.workload.id
        before = self._by_priority[priority][uid]
        self._by_priority[priority][uid] = running
        if running.usage != before.usage:
            held = self._held[priority]
            for key, amount in before.usage.items():
                held[key] -= amount
            for key, amount in running.usage.items():
                held[key] = held.get(key, 0) + amount
        if uid in self._evicting:
            self._evicting[uid] = running
            self._evicting_in_order = None
        else:
            self._staying[priority][uid] = running

    def mark_evicting(self, running: Running) -> None:
        """Mark a workload of this set as evicting."""
        self._own()
        self._evict(running)
        self._evicting[running.workload.id] = running
        self._evicting_in_order = None

    def remove(self, running: Running) -> None:
        """Remove a workload."""
        self._own()
        alike = self._by_priority[running.priority]
        del alike[running.workload.id]
        if self._evicting.pop(running.workload.id, None) is None:
            self._evict(running)
        else:
            self._evicting_in_order = None
        held = self._held[running.priority]
        for key, amount in running.usage.items():
            held[key] -= amount
        if not alike:
            del self._by_priority[running.priority], self._held[running.priority]
            self.lowest = min(self._by_priority, default=None)
        self._count -= 1

    def usage_below(self, priority: int | None, key: FlavorResource) -> int:
        """
        Return the usage of *key* by workloads of lower priority, in thousandths.

        None: by workloads of every priority.
        """
        return sum(
            held.get(key, 0)
            for each, held in self._held.items()
            if priority is None or each < priority
        )

    @property
    def has_evicting(self) -> bool:
        """Whether a workload of this set is evicting."""
        return bool(self._evicting)

    def evicting(self) -> tuple[Running, ...]:
        """Return the evicting workloads, in the order of `below`."""
        if self._evicting_in_order is None:
            self._evicting_in_order = tuple(sorted(self._evicting.values(), key=_place))
        return self._evicting_in_order

    def staying_below(self, priority: int | None) -> Iterator[Running]:
        """Yield the workloads of `below` that are not evicting; None: of every priority."""
        self._sort()
        for each in sorted(self._staying):
            if priority is not None and each >= priority:
                return
            yield from reversed(self._staying[each].values())

    def staying_at(self, priority: int) -> Iterator[Running]:
        """Yield the workloads of `at` that are not evicting."""
        self._sort()
        yield from reversed(self._staying.get(priority, {}).values())

    def below(self, priority: int) -> Iterator[Running]:
        """
        Yield workloads of lower priority, in order of eviction.

        The lowest priority comes first, then the latest reservation (Kueue's
        candidate order, spec 7.1).
        """
        self._sort()
        for each in sorted(p for p in self._by_priority if p < priority):
            yield from reversed(self._by_priority[each].values())

    def from_lowest(self) -> Iterator[Running]:
        """Yield all workloads in the order of `below`."""
        self._sort()
        for each in sorted(self._by_priority):
            yield from reversed(self._by_priority[each].values())

    def at(self, priority: int) -> Iterator[Running]:
        """Yield workloads of exactly *priority*, the latest reservation first."""
        self._sort()
        yield from reversed(self._by_priority.get(priority, {}).values())

    def sum_into(self, held: UsageByPriority) -> None:
        """Add the usage of this set to *held*."""
        for priority, usage in self._held.items():
            held.add(priority, usage)

    def _evict(self, running: Running) -> None:
        """Remove a workload from `_staying`, if it is there."""
        staying = self._staying.get(running.priority, {})
        if staying.pop(running.workload.id, None) is not None and not staying:
            del self._staying[running.priority]

    def _insert(self, alike: dict[str, Running], running: Running) -> None:
        """Add *running* to the workloads *alike* of its priority."""
        latest = next(reversed(alike.values()), None)
        alike[running.workload.id] = running
        if latest is not None and latest.reservation > running.reservation:
            self._unsorted.add(running.priority)

    def _sort(self) -> None:
        """Put the workloads of each priority into the order of reservations."""
        for priority in self._unsorted:
            for each in (self._by_priority, self._staying):
                if priority in each:
                    each[priority] = dict(sorted(each[priority].items(), key=_reservation))
        self._unsorted.clear()

    def _own(self) -> None:
        """Copy shared dictionaries before the first change."""
        if self._is_shared:
            self._is_shared = False
            self._by_priority = {each: dict(of) for each, of in self._by_priority.items()}
            self._staying = {each: dict(of) for each, of in self._staying.items()}
            self._held = {each: dict(held) for each, held in self._held.items()}
            self._evicting = self._evicting.copy()


class UsageByPriority:
    """Usage of the workloads of several queues together, by flavor-resource and priority."""

    def __init__(self) -> None:
        self._sums: dict[FlavorResource, dict[int, int]] = {}

    def add(self, priority: int, usage: Usage, sign: int = 1) -> None:
        """Add the usage of workloads of one priority; with a *sign* of -1 subtract it."""
        for key, amount in usage.items():
            sums = self._sums.setdefault(key, {})
            sums[priority] = sums.get(priority, 0) + sign * amount
            if not sums[priority]:
                del sums[priority]

    def below(self, priority: int | None, key: FlavorResource) -> int:
        """Return the usage of lower priorities, in thousandths; None: of every priority."""
        sums = self._sums.get(key, {})
        return sum(amount for each, amount in sums.items() if priority is None or each < priority)

    def copy(self) -> UsageByPriority:
        """Return an independent copy."""
        copy = UsageByPriority()
        copy._sums = {key: dict(sums) for key, sums in self._sums.items()}
        return copy


def _reservation(item: tuple[str, Running]) -> int:
    return item[1].reservation


def _place(running: Running) -> tuple[int, int]:
    return running.priority, -running.reservation
