"""Who runs in one queue, in the order in which preemption looks at them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from console.engine.circles import NEVER, Stops
from console.engine.decision import Assignment, Reason
from console.engine.ledger import FlavorResource, Usage
from console.engine.routing import Route
from console.engine.workload import Workload


@dataclass(slots=True, eq=False)
class Running:
    """One admitted workload and what it holds."""

    workload: Workload
    #: None when it was admitted under a policy without rules.
    queue: str | None
    priority: int
    assignment: Assignment
    usage: Mapping[FlavorResource, int]
    #: Position in the order of reservations: larger is later.
    reservation: int
    #: Route under the present policy; None when another one admitted it.
    route: Route | None = None
    #: It was told to stop and holds its quota until it is released.
    departing: bool = False
    #: By what right it was told to stop.
    reason: Reason | None = None
    #: Id of the workload it was told to stop for.
    preemptor: str | None = None
    #: Every time it was told to stop for a workload that has not ended.
    stopped_for: Stops = field(default_factory=lambda: NEVER)


class RunningLine:
    """The running workloads of one queue, by priority and reservation."""

    def __init__(self) -> None:
        self._by_priority: dict[int, dict[str, Running]] = {}
        #: Those of them who were not told to stop.
        self._staying: dict[int, dict[str, Running]] = {}
        #: What those of each priority hold together, in thousandths.
        self._held: dict[int, dict[FlavorResource, int]] = {}
        #: Those who were told to stop, by id, and in the order of `below` once they were asked for.
        self._departing: dict[str, Running] = {}
        self._departing_in_order: tuple[Running, ...] | None = ()
        self._count = 0
        #: The lowest priority that runs here; None when nobody does.
        self.lowest: int | None = None
        #: The dictionaries are those of the line it was copied from.
        self._is_shared = False

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Running]:
        for line in self._by_priority.values():
            yield from line.values()

    def add(self, running: Running) -> None:
        """Add a workload; reservations arrive in ascending order within a priority."""
        self._own()
        priority = running.priority
        line = self._by_priority.get(priority)
        if line is None:
            line = self._by_priority[priority] = {}
            self._held[priority] = {}
            if self.lowest is None or priority < self.lowest:
                self.lowest = priority
        line[running.workload.id] = running
        if running.departing:
            self._departing[running.workload.id] = running
            self._departing_in_order = None
        else:
            self._staying.setdefault(priority, {})[running.workload.id] = running
        held = self._held[priority]
        for key, amount in running.usage.items():
            held[key] = held.get(key, 0) + amount
        self._count += 1

    @property
    def priorities(self) -> tuple[int, ...]:
        """The priorities that run here, ascending."""
        return tuple(sorted(self._by_priority))

    def copy(self) -> RunningLine:
        """
        Return a line with the same workloads that may be changed on its own.

        It costs nothing until it is changed; this line stays as it is for as long.
        """
        line = RunningLine()
        line._by_priority, line._held = self._by_priority, self._held
        line._staying, line._departing = self._staying, self._departing
        line._departing_in_order = self._departing_in_order
        line._count, line.lowest = self._count, self.lowest
        line._is_shared = True
        return line

    def replace(self, running: Running) -> None:
        """Put *running* at the place of the one with its id and priority."""
        self._own()
        priority, uid = running.priority, running.workload.id
        self._by_priority[priority][uid] = running
        if uid in self._departing:
            self._departing[uid] = running
            self._departing_in_order = None
        else:
            self._staying[priority][uid] = running

    def tell(self, running: Running) -> None:
        """Note that a workload of this line was told to stop."""
        self._own()
        self._depart(running)
        self._departing[running.workload.id] = running
        self._departing_in_order = None

    def remove(self, running: Running) -> None:
        """Take a workload out."""
        self._own()
        line = self._by_priority[running.priority]
        del line[running.workload.id]
        if self._departing.pop(running.workload.id, None) is None:
            self._depart(running)
        else:
            self._departing_in_order = None
        held = self._held[running.priority]
        for key, amount in running.usage.items():
            held[key] -= amount
        if not line:
            del self._by_priority[running.priority], self._held[running.priority]
            self.lowest = min(self._by_priority, default=None)
        self._count -= 1

    def held_below(self, priority: int | None, key: FlavorResource) -> int:
        """
        Return what those of lower priority hold of *key* together, in thousandths.

        None: those of every priority.
        """
        return sum(
            held.get(key, 0)
            for each, held in self._held.items()
            if priority is None or each < priority
        )

    @property
    def has_departing(self) -> bool:
        """Whether any of them was told to stop."""
        return bool(self._departing)

    def departing(self) -> tuple[Running, ...]:
        """Return those who were told to stop, in the order of `below`."""
        if self._departing_in_order is None:
            self._departing_in_order = tuple(sorted(self._departing.values(), key=_place))
        return self._departing_in_order

    def staying_below(self, priority: int | None) -> Iterator[Running]:
        """Yield those of `below` who were not told to stop; None: those of every priority."""
        for each in sorted(self._staying):
            if priority is not None and each >= priority:
                return
            yield from reversed(self._staying[each].values())

    def staying_at(self, priority: int) -> Iterator[Running]:
        """Yield those of `at` who were not told to stop."""
        yield from reversed(self._staying.get(priority, {}).values())

    def below(self, priority: int) -> Iterator[Running]:
        """
        Yield workloads of lower priority, the first to stop first.

        The lowest priority first, then the latest reservation (Kueue's
        candidate order, spec 7.1).
        """
        for each in sorted(p for p in self._by_priority if p < priority):
            yield from reversed(self._by_priority[each].values())

    def from_lowest(self) -> Iterator[Running]:
        """Yield all workloads in the same order."""
        for each in sorted(self._by_priority):
            yield from reversed(self._by_priority[each].values())

    def at(self, priority: int) -> Iterator[Running]:
        """Yield workloads of exactly *priority*, the latest reservation first."""
        yield from reversed(self._by_priority.get(priority, {}).values())

    def sum_into(self, held: Held) -> None:
        """Add to *held* what the workloads of this line hold."""
        for priority, usage in self._held.items():
            held.add(priority, usage)

    def _depart(self, running: Running) -> None:
        """Take a workload out of those who stay, if it is one of them."""
        staying = self._staying.get(running.priority, {})
        if staying.pop(running.workload.id, None) is not None and not staying:
            del self._staying[running.priority]

    def _own(self) -> None:
        """Part from the line it was copied from, before the first change."""
        if self._is_shared:
            self._is_shared = False
            self._by_priority = {each: dict(of) for each, of in self._by_priority.items()}
            self._staying = {each: dict(of) for each, of in self._staying.items()}
            self._held = {each: dict(held) for each, held in self._held.items()}
            self._departing = self._departing.copy()


class Held:
    """What the workloads of several queues hold together, by flavor-resource and priority."""

    def __init__(self) -> None:
        self._sums: dict[FlavorResource, dict[int, int]] = {}

    def add(self, priority: int, usage: Usage, sign: int = 1) -> None:
        """Add what workloads of one priority hold; with a *sign* of -1 take it away."""
        for key, amount in usage.items():
            sums = self._sums.setdefault(key, {})
            sums[priority] = sums.get(priority, 0) + sign * amount
            if not sums[priority]:
                del sums[priority]

    def below(self, priority: int | None, key: FlavorResource) -> int:
        """Return what those of lower priority hold, in thousandths; None: of every priority."""
        sums = self._sums.get(key, {})
        return sum(amount for each, amount in sums.items() if priority is None or each < priority)

    def copy(self) -> Held:
        """Return the same sums, to be changed on their own."""
        copy = Held()
        copy._sums = {key: dict(sums) for key, sums in self._sums.items()}
        return copy


def _place(running: Running) -> tuple[int, int]:
    return running.priority, -running.reservation
