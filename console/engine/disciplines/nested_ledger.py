"""
Usage accounts of queues that are below other queues and share all nodes.

Each account has what its own workloads use, and what all those at and below the queue use. A
discipline says which queues there are, and what they may use.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection
from typing import Self

from console.engine.model.amounts import Amount, FlavorResource, Unlimited, Usage
from console.engine.model.policy import Policy


class Root:
    """The node above all queues: what one of them gets depends on all others."""

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


class NestedAccount:
    """The usage of one queue; `below` includes that of the queues below it."""

    def __init__(self, name: str, ledger: NestedLedger) -> None:
        self.name = name
        #: The ledger with all accounts.
        self.ledger = ledger
        self.path = ledger.path(name)
        #: Of its own workloads, without zeros; see `NestedLedger.recorded`.
        self.usage: dict[FlavorResource, int] = {}
        #: Of all workloads at and below the queue, without zeros, under the names of queues.
        self.below: dict[FlavorResource, int] = {}

    @property
    def root(self) -> Root | NestedAccount:
        """The node above all queues of the policy; the account itself for any other queue."""
        return self.ledger.root if self.ledger.knows(self.name) else self

    def flavor_resources(self) -> Collection[FlavorResource]:
        """Return those that queues divide, and further ones that are used."""
        return dict.fromkeys((*self.ledger.keys, *map(self.ledger.counted, self.usage)))

    def guaranteed(self, key: FlavorResource) -> Amount:
        """Return the guarantee."""
        return self.ledger.guaranteed(self.name, key)

    def limit(self, key: FlavorResource) -> Amount:
        """Return the smallest limit of the queue and those above it; nodes may have less."""
        return min(self.ledger.limit(name, key) for name in (self.name, *self.path))

    def of(self, name: str) -> NestedAccount:
        """Return the account of another queue of the ledger."""
        return self.ledger.queue(name)

    def used(self, key: FlavorResource) -> int:
        """Return what the workloads at and below the queue use."""
        return self.below.get(self.ledger.counted(key), 0)

    def over(self, key: FlavorResource) -> int:
        """Return the usage at and below the queue above its guarantee."""
        guaranteed = self.guaranteed(key)
        return 0 if isinstance(guaranteed, Unlimited) else max(0, self.used(key) - guaranteed)

    def available(self, key: FlavorResource) -> Amount:
        """Return what the limits of the queue and those above it leave; nodes may have less."""
        ledger = self.ledger
        return min(
            ledger.limit(name, key) - ledger.queue(name).used(key)
            for name in (self.name, *self.path)
        )


class NestedLedger(ABC):
    """The accounts of all queues of a policy, and of queues of earlier ones."""

    #: The flavor-resources that queues divide, in order.
    keys: tuple[FlavorResource, ...] = ()

    def __init__(self) -> None:
        self.root = Root()
        self._accounts: dict[str, NestedAccount] = {}

    # What a discipline says

    @abstractmethod
    def knows(self, name: str) -> bool:
        """Return whether the policy has a queue, or may create it."""

    @abstractmethod
    def path(self, name: str) -> tuple[str, ...]:
        """Return the queues above a queue, the nearest first; empty if the policy lacks it."""

    @abstractmethod
    def guaranteed(self, name: str, key: FlavorResource) -> Amount:
        """Return the guarantee of a queue."""

    @abstractmethod
    def limit(self, name: str, key: FlavorResource) -> Amount:
        """Return the own limit of a queue; 0 for a queue that the policy lacks."""

    @staticmethod
    @abstractmethod
    def counted(key: FlavorResource) -> FlavorResource:
        """Return the flavor-resource under which queues count usage of *key*."""

    @abstractmethod
    def queues_around(self, name: str) -> list[str]:
        """Return all queues of the policy and *name*, or *name* alone if the policy lacks it."""

    @abstractmethod
    def empty(self) -> Self:
        """Return a ledger of the same policy with nothing charged."""

    @abstractmethod
    def take_policy(self, policy: Policy) -> None:
        """Use the amounts of *policy* from now on."""

    # Usage

    def recorded(self, key: FlavorResource) -> FlavorResource:
        """Return the flavor-resource under which the usage of workloads in a queue is stored."""
        return key

    def queue(self, name: str) -> NestedAccount:
        """Return the account of a queue, even if it is missing from the policy."""
        account = self._accounts.get(name)
        if account is None:
            account = self._accounts[name] = NestedAccount(name, self)
        return account

    def add(self, queue: str, usage: Usage) -> None:
        """Add *usage* to a queue and to those above it."""
        account = self.queue(queue)
        for key, amount in usage.items():
            _add(account.usage, self.recorded(key), amount)
            for name in (queue, *account.path):
                _add(self.queue(name).below, self.counted(key), amount)

    def remove(self, queue: str, usage: Usage) -> None:
        """Subtract *usage* from a queue and from those above it."""
        self.add(queue, {key: -amount for key, amount in usage.items()})

    def copy(self, root: Root | NestedAccount) -> Self:
        """Return an independent ledger with the usage of the queues below *root*."""
        copy = self.empty()
        for account in self._accounts.values():
            if account.root is root:
                copy.add(account.name, account.usage)
        return copy

    def adapt(self, before: Policy, after: Policy, queues: Collection[str]) -> None:
        """Use the amounts and parents of *after*."""
        self.take_policy(after)
        if all(each.path == self.path(each.name) for each in self._accounts.values()):
            return
        usages = {each.name: dict(each.usage) for each in self._accounts.values()}
        for account in self._accounts.values():
            account.path = self.path(account.name)
            account.usage.clear()
            account.below.clear()
        for name, usage in usages.items():
            self.add(name, usage)


def _add(usage: dict[FlavorResource, int], key: FlavorResource, amount: int) -> None:
    left = usage.get(key, 0) + amount
    if left:
        usage[key] = left
    else:
        usage.pop(key, None)
