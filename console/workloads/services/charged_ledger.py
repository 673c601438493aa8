"""A ledger charged with the usage of queues, read from rows when a queue is needed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Final, TypeAlias

from django.db.models import F, QuerySet

from console.chunks import chunks
from console.engine.disciplines import load_discipline
from console.engine.live.running import Running
from console.engine.model.amounts import FlavorResource, Usage
from console.engine.model.policy import Policy
from console.orgs.models import Organization
from console.unions import union_querysets
from console.workloads.models import State, Workload
from console.workloads.queries.used import counts_of_running, used_of

#: A queue, and the requested number of its running workloads.
FirstRunning: TypeAlias = tuple[str, int]

#: Maximum number of stopping workloads that are read of the queues of a chunk.
_STOPPING: Final = 1000

#: The order of preemption.
_ORDER: Final = ("priority", F("reservation").desc())

_NOTHING: Final[Usage] = {}


class ChargedLedger:
    """A ledger with the usage of queues, and the numbers of their running workloads."""

    def __init__(self, org: Organization, policy: Policy, version: tuple[object, ...]) -> None:
        self.org = org.pk
        self.policy = policy
        self.ledger = load_discipline(policy.discipline).ledger(policy)
        #: The engine's version under which the queues in `_current` were read.
        self.version = version
        #: Charged usage by queue; queues without usage are absent.
        self.used: dict[str, Mapping[FlavorResource, int]] = {}
        #: Number of running workloads by queue.
        self.running: dict[str, int] = {}
        self._current: set[str] = set()
        #: Keys of stopping workloads by queue.
        self._stopping: dict[str, list[int]] = {}
        #: Keys of the first workloads in the order of preemption, by queue and number.
        self._first: dict[FirstRunning, list[int]] = {}
        #: Whether rows were read since the ledger was taken from the cache.
        self.was_read = False
        #: Whether the ledger contains exactly the usage in `used`.
        self.is_exact = True

    def __len__(self) -> int:
        """Return the number of charged queues."""
        return len(self._current)

    def charge(self, org: Organization, names: Collection[str]) -> None:
        """Charge the ledger with the current usage of the queues *names*, and update `running`."""
        missing = [name for name in names if name not in self._current]
        if not missing:
            return
        self.was_read = True
        used = used_of(org, missing)
        counts = dict(counts_of_running(org, missing))
        for name in missing:
            before, after = self.used.pop(name, _NOTHING), used.get(name, _NOTHING)
            if before != after:
                self.ledger.remove(name, before)
                self.ledger.add(name, after)
            if after:
                self.used[name] = after
            self.running[name] = counts.get(name, 0)
        self._current.update(missing)

    def stopping(self, org: Organization, names: Collection[str]) -> list[int]:
        """Return the keys of stopping workloads in the queues *names*, limited for each chunk."""
        missing = [name for name in names if name not in self._stopping]
        if missing:
            self.was_read = True
            self._stopping.update((name, []) for name in missing)
            stopping = Workload.objects.filter(org=org, state=State.PREEMPTING)
            for some in chunks(missing):
                rows = first_to_stop(stopping.filter(queue__in=some), _STOPPING)
                for key, queue in rows.values_list("pk", "queue"):
                    self._stopping[queue or ""].append(key)
        return [key for name in names for key in self._stopping[name]]

    def first_to_stop(self, org: Organization, named: Collection[FirstRunning]) -> list[int]:
        """Return the keys of the first workloads to preempt in the queues *named*."""
        missing = [each for each in named if each not in self._first]
        if missing:
            self.was_read = True
            self._first.update((each, []) for each in missing)
            running = Workload.objects.filter(org=org, state=State.ADMITTED)
            most: dict[str, int] = {}
            for name, number in missing:
                most[name] = max(number, most.get(name, 0))
            lists = (first_to_stop(running.filter(queue=name), n) for name, n in most.items())
            found = [row for rows in union_querysets(lists) for row in _in_order(rows)]
            for each in missing:
                keys = [key for key, queue in found if queue == each[0]]
                self._first[each] = keys[: each[1]]
        return [key for each in named for key in self._first[each]]

    def remove_double_charges(self, name: str, restored: Iterable[Running]) -> None:
        """
        Remove the usage of *restored* workloads of queue *name* that was charged twice.

        Restoring them has charged them individually. If they use more than the rows of the queue,
        because the worker has written in between, their usage counts, and the ledger is not exact.
        """
        used, held = self.used.get(name, _NOTHING), dict[FlavorResource, int]()
        for each in restored:
            for key, amount in each.usage.items():
                held[key] = held.get(key, 0) + amount
        twice = {key: min(amount, used.get(key, 0)) for key, amount in held.items()}
        self.ledger.remove(name, twice)
        self.is_exact = self.is_exact and twice == held

    def mark_outdated(self, version: tuple[object, ...]) -> None:
        """Mark all read rows as outdated; the engine is at *version*."""
        self.version = version
        for of_a_queue in (self._current, self._stopping, self._first):
            of_a_queue.clear()


def first_to_stop(rows: QuerySet[Workload], most: int) -> QuerySet[Workload]:
    """Return the first *most* of the running *rows* in the order of preemption."""
    return rows.order_by(*_ORDER)[:most]


def _in_order(rows: QuerySet[Workload]) -> QuerySet[Workload, tuple[int, str | None]]:
    return rows.order_by(*_ORDER).values_list("pk", "queue")
