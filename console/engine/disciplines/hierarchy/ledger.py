"""Usage accounts of the queues: each has what its workloads use, and what those below it use."""

from __future__ import annotations

from collections.abc import Collection
from typing import TypeAlias

from console.engine.disciplines.hierarchy.requests import queue_name_of
from console.engine.disciplines.hierarchy.resources import VCORE, Resources
from console.engine.disciplines.hierarchy.spec import (
    POOL,
    HierarchyQueue,
    HierarchySpec,
    hierarchy_of,
)
from console.engine.live.live_tree import QueueState
from console.engine.model.amounts import SCALE, UNLIMITED, Amount, FlavorResource, Unlimited, Usage
from console.engine.model.policy import Policy


def counted(key: FlavorResource) -> FlavorResource:
    """Return the flavor-resource under which queues count usage of *key*: CPU has two names."""
    return key[0], queue_name_of(key[1])


class Root:
    """The node above all queues: partitions have their own nodes, and one scheduler serves all."""

    name = ""
    path: tuple[str, ...] = ()

    @property
    def root(self) -> Root:
        """The node itself."""
        return self

    @property
    def usage(self) -> dict[FlavorResource, int]:
        """Nothing: queues have the usage."""
        return {}

    def flavor_resources(self) -> Collection[FlavorResource]:
        """Return nothing."""
        return ()

    def guaranteed(self, key: FlavorResource) -> Amount:
        """Return 0."""
        return 0

    def used(self, key: FlavorResource) -> int:
        """Return 0."""
        return 0

    def over(self, key: FlavorResource) -> int:
        """Return 0."""
        return 0

    def available(self, key: FlavorResource) -> Amount:
        """Return 0."""
        return 0

    def limit(self, key: FlavorResource) -> Amount:
        """Return 0."""
        return 0


class HierarchyAccount:
    """
    The usage of one queue; `below` includes that of the queues below it.

    The nodes of a partition are not known here: its root has no limit.
    """

    def __init__(self, name: str, ledger: HierarchyLedger) -> None:
        self.name = name
        self._ledger = ledger
        self.path = ledger.path(name)
        #: Of its own workloads, without zeros, under the names of their resources.
        self.usage: dict[FlavorResource, int] = {}
        #: Of all workloads at and below the queue, without zeros, under the names of queues.
        self.below: dict[FlavorResource, int] = {}

    @property
    def root(self) -> Root | HierarchyAccount:
        """The node above all queues of the policy; the account itself for any other queue."""
        return self._ledger.root if self._ledger.knows(self.name) else self

    def flavor_resources(self) -> Collection[FlavorResource]:
        """Return those that queues of the policy name, and further ones that are used."""
        return dict.fromkeys((*self._ledger.keys, *map(counted, self.usage)))

    def guaranteed(self, key: FlavorResource) -> Amount:
        """Return the guarantee; 0 if none is set."""
        return self._ledger.guaranteed(self.name, key)

    def limit(self, key: FlavorResource) -> Amount:
        """Return the smallest maximum of the queue and those above it."""
        return min(self._ledger.maximum(name, key) for name in (self.name, *self.path))

    def of(self, name: str) -> HierarchyAccount:
        """Return the account of another queue of the ledger."""
        return self._ledger.queue(name)

    def used(self, key: FlavorResource) -> int:
        """Return what the workloads at and below the queue use."""
        return self.below.get(counted(key), 0)

    def over(self, key: FlavorResource) -> int:
        """Return the usage at and below the queue above its guarantee."""
        guaranteed = self.guaranteed(key)
        return 0 if isinstance(guaranteed, Unlimited) else max(0, self.used(key) - guaranteed)

    def available(self, key: FlavorResource) -> Amount:
        """Return the headroom: what the maxima on the path leave. Nodes may have less."""
        ledger = self._ledger
        return min(
            ledger.maximum(name, key) - ledger.queue(name).used(key)
            for name in (self.name, *self.path)
        )


class HierarchyLedger:
    """The accounts of all queues of a policy, of created ones, and of queues of earlier ones."""

    def __init__(self, spec: HierarchySpec) -> None:
        self.spec = spec
        self.root = Root()
        #: The flavor-resources that guarantees and maxima name.
        self.keys: tuple[FlavorResource, ...] = tuple((POOL, each) for each in spec.resources())
        self._accounts: dict[str, HierarchyAccount] = {}
        #: Created queues by name; None: the policy creates no such queue.
        self._created: dict[str, HierarchyQueue | None] = {}
        #: Names of queues above others, which templates do not concern.
        self._parents: set[str] = set()

    def queue(self, name: str) -> HierarchyAccount:
        """Return the account of a queue, even if it is missing from the policy."""
        account = self._accounts.get(name)
        if account is None:
            account = self._accounts[name] = HierarchyAccount(name, self)
            self._parents.update(account.path)
        return account

    def knows(self, name: str) -> bool:
        """Return whether the policy has a queue, or a placement rule may create it."""
        return name in self.spec.queues or self._created_queue(name) is not None

    def path(self, name: str) -> tuple[str, ...]:
        """Return the queues above a queue, the nearest first; empty if the policy lacks it."""
        return self.spec.path(name) if self.knows(name) else ()

    def guaranteed(self, name: str, key: FlavorResource) -> Amount:
        """Return the guarantee of a queue; 0 if none is set."""
        queue = self._settings(name)
        return _amount(queue.guaranteed if queue is not None else None, key, otherwise=0)

    def maximum(self, name: str, key: FlavorResource) -> Amount:
        """Return the own maximum of a queue; 0 for a queue that the policy lacks."""
        queue = self._settings(name)
        if queue is None and not self.knows(name):
            return 0
        return _amount(queue.maximum if queue is not None else None, key, otherwise=UNLIMITED)

    def queues_around(self, name: str) -> list[str]:
        """Return all queues of the policy and *name*, or *name* alone if the policy lacks it."""
        if name in self.spec.queues:
            return list(self.spec.queues)
        return [*self.spec.queues, name] if self.knows(name) else [name]

    def add(self, queue: str, usage: Usage) -> None:
        """Add *usage* to a queue and to those above it."""
        account = self.queue(queue)
        for key, amount in usage.items():
            _add(account.usage, key, amount)
            for name in (queue, *account.path):
                _add(self.queue(name).below, counted(key), amount)

    def remove(self, queue: str, usage: Usage) -> None:
        """Subtract *usage* from a queue and from those above it."""
        self.add(queue, {key: -amount for key, amount in usage.items()})

    def copy(self, root: Root | HierarchyAccount) -> HierarchyLedger:
        """Return an independent ledger with the usage of the queues below *root*."""
        copy = HierarchyLedger(self.spec)
        for account in self._accounts.values():
            if account.root is root:
                copy.add(account.name, account.usage)
        return copy

    def adapt(self, before: Policy, after: Policy, queues: Collection[str]) -> None:
        """Use the guarantees, maxima, templates and parents of *after*."""
        self.spec = hierarchy_of(after)
        self.keys = tuple((POOL, each) for each in self.spec.resources())
        self._created.clear()
        if all(each.path == self.path(each.name) for each in self._accounts.values()):
            return
        usages = {each.name: dict(each.usage) for each in self._accounts.values()}
        self._parents.clear()
        for account in self._accounts.values():
            account.path = self.path(account.name)
            self._parents.update(account.path)
            account.usage.clear()
            account.below.clear()
        for name, usage in usages.items():
            self.add(name, usage)

    def _settings(self, name: str) -> HierarchyQueue | None:
        """Return a queue with its amounts; None for one without, such as a created parent."""
        found = self.spec.queues.get(name)
        if found is None and name not in self._parents:
            found = self._created_queue(name)
        return found

    def _created_queue(self, name: str) -> HierarchyQueue | None:
        if name not in self._created:
            self._created[name] = self.spec.created_queue(name)
        return self._created[name]


def _amount(stated: Resources | None, key: FlavorResource, *, otherwise: Amount) -> Amount:
    flavor, resource = counted(key)
    if stated is None or flavor != POOL or resource not in stated:
        return otherwise
    value = stated[resource]
    return value if resource == VCORE else value * SCALE


def _add(usage: dict[FlavorResource, int], key: FlavorResource, amount: int) -> None:
    left = usage.get(key, 0) + amount
    if left:
        usage[key] = left
    else:
        usage.pop(key, None)


#: A live queue with its account and settings.
LiveQueue: TypeAlias = QueueState[HierarchyAccount, HierarchyQueue]
