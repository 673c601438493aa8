"""Usage accounts of the queues: each has what its workloads use, and what those below it use."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, TypeAlias

from console.engine.disciplines.fairshare.requests import GPU_NAMES
from console.engine.disciplines.fairshare.resources import RESOURCES
from console.engine.disciplines.fairshare.spec import (
    POOL,
    FairQueue,
    FairshareSpec,
    fairshare_of,
)
from console.engine.live.live_tree import QueueState
from console.engine.model.amounts import UNLIMITED, Amount, FlavorResource, Unlimited, Usage
from console.engine.model.policy import Policy

_GPU: Final[FlavorResource] = (POOL, RESOURCES.gpu)

#: The flavor-resources that every queue has, in order.
KEYS: Final[tuple[FlavorResource, ...]] = tuple((POOL, each) for each in RESOURCES)


def counted(key: FlavorResource) -> FlavorResource:
    """Return the flavor-resource under which queues count usage of *key*: GPUs have two names."""
    return _GPU if key[1] in GPU_NAMES else key


class Root:
    """The node above all queues, because fair shares of each depend on all others."""

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


class FairshareAccount:
    """The usage of one queue; `below` includes that of the queues below it."""

    def __init__(self, name: str, ledger: FairshareLedger) -> None:
        self.name = name
        self._ledger = ledger
        self.path = ledger.spec.path(name)
        #: Of its own workloads, without zeros.
        self.usage: dict[FlavorResource, int] = {}
        #: Of all workloads at and below the queue, without zeros.
        self.below: dict[FlavorResource, int] = {}

    @property
    def spec(self) -> FairshareSpec:
        """The queues of the policy."""
        return self._ledger.spec

    @property
    def root(self) -> Root | FairshareAccount:
        """The node above all queues of the policy; the account itself for any other queue."""
        return self._ledger.root if self.name in self._ledger.spec.queues else self

    def flavor_resources(self) -> Collection[FlavorResource]:
        """Return those of the pool, and further ones that are used."""
        return dict.fromkeys((*KEYS, *self.usage))

    def guaranteed(self, key: FlavorResource) -> Amount:
        """Return the quota; UNLIMITED for resources that queues do not divide."""
        return _bound(self._ledger.spec.tree.queues.get(self.name), key, is_limit=False)

    def limit(self, key: FlavorResource) -> Amount:
        """Return the smallest limit of the queue and those above it."""
        queues = self._ledger.spec.tree.queues
        bounds = (_bound(queues.get(name), key, is_limit=True) for name in (self.name, *self.path))
        return min(bounds)

    def used(self, key: FlavorResource) -> int:
        """Return what the workloads at and below the queue use."""
        return self.below.get(counted(key), 0)

    def over(self, key: FlavorResource) -> int:
        """Return the usage at and below the queue above its quota."""
        quota = self.guaranteed(key)
        return 0 if isinstance(quota, Unlimited) else max(0, self.used(key) - quota)

    def available(self, key: FlavorResource) -> Amount:
        """Return what the limits of the queue and those above it leave; nodes may have less."""
        ledger, queues = self._ledger, self._ledger.spec.tree.queues
        return min(
            _bound(queues.get(name), key, is_limit=True) - ledger.queue(name).used(key)
            for name in (self.name, *self.path)
        )


def _bound(queue: FairQueue | None, key: FlavorResource, *, is_limit: bool) -> Amount:
    flavor, resource = counted(key)
    if queue is None:
        return 0
    if flavor != POOL or resource not in RESOURCES:
        return UNLIMITED
    return (queue.limit if is_limit else queue.quota)[RESOURCES.index(resource)]


class FairshareLedger:
    """The accounts of all queues of a policy, and of queues of earlier ones."""

    def __init__(self, spec: FairshareSpec) -> None:
        self.spec = spec
        self.root = Root()
        self._accounts: dict[str, FairshareAccount] = {}

    def queue(self, name: str) -> FairshareAccount:
        """Return the account of a queue, even if it is missing from the policy."""
        account = self._accounts.get(name)
        if account is None:
            account = self._accounts[name] = FairshareAccount(name, self)
        return account

    def queues_around(self, name: str) -> list[str]:
        """Return all queues of the policy, or *name* alone if the policy lacks it."""
        return list(self.spec.queues) if name in self.spec.queues else [name]

    def add(self, queue: str, usage: Usage) -> None:
        """Add *usage* to a queue and to those above it."""
        account = self.queue(queue)
        for key, amount in usage.items():
            _add(account.usage, counted(key), amount)
            for name in (queue, *account.path):
                _add(self.queue(name).below, counted(key), amount)

    def remove(self, queue: str, usage: Usage) -> None:
        """Subtract *usage* from a queue and from those above it."""
        self.add(queue, {key: -amount for key, amount in usage.items()})

    def copy(self, root: Root | FairshareAccount) -> FairshareLedger:
        """Return an independent ledger with the usage of the queues below *root*."""
        copy = FairshareLedger(self.spec)
        for account in self._accounts.values():
            if account.root is root:
                copy.add(account.name, account.usage)
        return copy

    def adapt(self, before: Policy, after: Policy, queues: Collection[str]) -> None:
        """Use the quotas, limits and parents of *after*."""
        self.spec = fairshare_of(after)
        if all(each.path == self.spec.path(each.name) for each in self._accounts.values()):
            return
        usages = {each.name: dict(each.usage) for each in self._accounts.values()}
        for account in self._accounts.values():
            account.path = self.spec.path(account.name)
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


#: A live queue with its account and settings.
LiveQueue: TypeAlias = QueueState[FairshareAccount, FairQueue]
