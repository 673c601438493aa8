"""
Guarantees and maxima of the queues for their usage accounts.

The nodes of a partition are not known here: its root has no maximum.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TypeAlias

from console.engine.disciplines.hierarchy.requests import CPU, queue_name_of
from console.engine.disciplines.hierarchy.resources import VCORE, Resources
from console.engine.disciplines.hierarchy.spec import (
    POOL,
    HierarchyQueue,
    HierarchySpec,
    hierarchy_of,
)
from console.engine.disciplines.nested_ledger import NestedAccount, NestedLedger
from console.engine.live.live_tree import QueueState
from console.engine.model.amounts import SCALE, UNLIMITED, Amount, FlavorResource
from console.engine.model.policy import Policy


def counted(key: FlavorResource) -> FlavorResource:
    """Return the flavor-resource under which queues count usage of *key*: CPU has two names."""
    return key[0], queue_name_of(key[1])


def names_of(key: FlavorResource) -> tuple[FlavorResource, ...]:
    """Return the flavor-resources of workloads that queues count as *key*."""
    return (key, (key[0], CPU)) if key[1] == VCORE else (key,)


class HierarchyLedger(NestedLedger):
    """The accounts of all queues of a policy, of created ones, and of queues of earlier ones."""

    counted = staticmethod(counted)

    def __init__(self, spec: HierarchySpec) -> None:
        super().__init__()
        self._use(spec)

    def _use(self, spec: HierarchySpec) -> None:
        self.spec = spec
        # The flavor-resources that guarantees and maxima name.
        self.keys = tuple((POOL, each) for each in spec.resources())
        #: Created queues by name; None: the policy creates no such queue.
        self._created: dict[str, HierarchyQueue | None] = {}
        #: Names of queues above others, which templates do not concern.
        self._parents: set[str] = set()

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

    def limit(self, name: str, key: FlavorResource) -> Amount:
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

    def queue(self, name: str) -> NestedAccount:
        """Return the account of a queue, even if it is missing from the policy."""
        is_new = name not in self._accounts
        account = super().queue(name)
        if is_new:
            self._parents.update(account.path)
        return account

    def empty(self) -> HierarchyLedger:
        """Return a ledger of the same queues with nothing charged."""
        return HierarchyLedger(self.spec)

    def take_policy(self, policy: Policy) -> None:
        """Use the guarantees, maxima and templates of *policy* from now on."""
        self._use(hierarchy_of(policy))

    def adapt(self, before: Policy, after: Policy, queues: Collection[str]) -> None:
        """Use the amounts and parents of *after*."""
        super().adapt(before, after, queues)
        for account in self._accounts.values():
            self._parents.update(account.path)

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


#: A live queue with its account and settings.
LiveQueue: TypeAlias = QueueState[NestedAccount, HierarchyQueue]
