"""Quotas and limits of the queues for their usage accounts."""

from __future__ import annotations

from typing import Final, TypeAlias

from console.engine.disciplines.fairshare.requests import GPU_NAMES
from console.engine.disciplines.fairshare.resources import RESOURCES
from console.engine.disciplines.fairshare.spec import (
    POOL,
    FairQueue,
    FairshareSpec,
    fairshare_of,
)
from console.engine.disciplines.nested_ledger import NestedAccount, NestedLedger
from console.engine.live.live_tree import QueueState
from console.engine.model.amounts import UNLIMITED, Amount, FlavorResource
from console.engine.model.policy import Policy

_GPU: Final[FlavorResource] = (POOL, RESOURCES.gpu)

#: The flavor-resources that every queue has, in order.
KEYS: Final[tuple[FlavorResource, ...]] = tuple((POOL, each) for each in RESOURCES)


def counted(key: FlavorResource) -> FlavorResource:
    """Return the flavor-resource under which queues count usage of *key*: GPUs have two names."""
    return _GPU if key[1] in GPU_NAMES else key


def names_of(key: FlavorResource) -> tuple[FlavorResource, ...]:
    """Return the flavor-resources of workloads that queues count as *key*."""
    return tuple((POOL, name) for name in GPU_NAMES) if key == _GPU else (key,)


class FairshareLedger(NestedLedger):
    """The accounts of all queues of a policy, and of queues of earlier ones."""

    keys = KEYS
    counted = staticmethod(counted)

    def __init__(self, spec: FairshareSpec) -> None:
        super().__init__()
        self.spec = spec

    def knows(self, name: str) -> bool:
        """Return whether the policy has a queue."""
        return name in self.spec.queues

    def path(self, name: str) -> tuple[str, ...]:
        """Return the queues above a queue, the nearest first."""
        return self.spec.path(name)

    def recorded(self, key: FlavorResource) -> FlavorResource:
        """Return *key* as queues count it: rows have one name of GPUs."""
        return counted(key)

    def guaranteed(self, name: str, key: FlavorResource) -> Amount:
        """Return the quota; UNLIMITED for resources that queues do not divide."""
        return _bound(self.spec.tree.queues.get(name), key, is_limit=False)

    def limit(self, name: str, key: FlavorResource) -> Amount:
        """Return the own limit of a queue; UNLIMITED for resources that queues do not divide."""
        return _bound(self.spec.tree.queues.get(name), key, is_limit=True)

    def queues_around(self, name: str) -> list[str]:
        """Return all queues of the policy, or *name* alone if the policy lacks it."""
        return list(self.spec.queues) if name in self.spec.queues else [name]

    def empty(self) -> FairshareLedger:
        """Return a ledger of the same queues with nothing charged."""
        return FairshareLedger(self.spec)

    def take_policy(self, policy: Policy) -> None:
        """Use the quotas and limits of *policy* from now on."""
        self.spec = fairshare_of(policy)


def _bound(queue: FairQueue | None, key: FlavorResource, *, is_limit: bool) -> Amount:
    flavor, resource = counted(key)
    if queue is None:
        return 0
    if flavor != POOL or resource not in RESOURCES:
        return UNLIMITED
    return (queue.limit if is_limit else queue.quota)[RESOURCES.index(resource)]


#: A live queue with its account and settings.
LiveQueue: TypeAlias = QueueState[NestedAccount, FairQueue]
