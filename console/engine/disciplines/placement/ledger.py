"""Usage account of the queue: amounts by cluster. Clusters have no quota, so none is short."""

from __future__ import annotations

from collections.abc import Collection
from typing import TypeAlias

from console.engine.disciplines.placement.spec import PlacementQueue
from console.engine.live.live_tree import QueueState
from console.engine.model.amounts import UNLIMITED, Amount, FlavorResource, Usage
from console.engine.model.policy import Policy


class PlacementAccount:
    """The usage of the jobs of one queue, by cluster and resource."""

    path: tuple[str, ...] = ()

    def __init__(self, name: str) -> None:
        self.name = name
        #: Without zeros.
        self.usage: dict[FlavorResource, int] = {}

    @property
    def root(self) -> PlacementAccount:
        """The account itself: it is a tree of its own."""
        return self

    def flavor_resources(self) -> Collection[FlavorResource]:
        """Return the used ones."""
        return self.usage.keys()

    def guaranteed(self, key: FlavorResource) -> Amount:
        """Return UNLIMITED: only nodes limit usage."""
        return UNLIMITED

    def limit(self, key: FlavorResource) -> Amount:
        """Return UNLIMITED."""
        return UNLIMITED

    def used(self, key: FlavorResource) -> int:
        """Return the used amount."""
        return self.usage.get(key, 0)

    def over(self, key: FlavorResource) -> int:
        """Return 0: there is no quota to exceed."""
        return 0

    def available(self, key: FlavorResource) -> Amount:
        """Return UNLIMITED."""
        return UNLIMITED


class PlacementLedger:
    """The usage accounts of the queue, and of queues of earlier configs."""

    def __init__(self) -> None:
        self._accounts: dict[str, PlacementAccount] = {}

    def queue(self, name: str) -> PlacementAccount:
        """Return the account of a queue, even if it is missing from the policy."""
        if name not in self._accounts:
            self._accounts[name] = PlacementAccount(name)
        return self._accounts[name]

    def queues_around(self, name: str) -> list[str]:
        """Return the queue alone."""
        return [name]

    def add(self, queue: str, usage: Usage) -> None:
        """Add *usage* to a queue."""
        account = self.queue(queue).usage
        for key, amount in usage.items():
            account[key] = account.get(key, 0) + amount
            if not account[key]:
                del account[key]

    def remove(self, queue: str, usage: Usage) -> None:
        """Subtract *usage* from a queue."""
        self.add(queue, {key: -amount for key, amount in usage.items()})

    def copy(self, root: PlacementAccount) -> PlacementLedger:
        """Return an independent ledger with a copy of the account of *root*."""
        copy = PlacementLedger()
        copy.add(root.name, root.usage)
        return copy

    def adapt(self, before: Policy, after: Policy, queues: Collection[str]) -> None:
        """Change nothing: the policy limits no usage."""


#: A live queue with its account and settings.
JobQueue: TypeAlias = QueueState[PlacementAccount, PlacementQueue]
