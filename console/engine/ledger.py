"""
The ledger: what every node of the quota tree owns, holds, may borrow and lends.

A node is a queue (leaf) or a cohort (inner node). All numbers are kept per
flavor-resource. Of a node's *subtree quota* S the part below its lending limit
is its *deposit* in the parent; the rest, its *local quota*, never leaves.
Usage fills local quota first and only what overflows is seen by the parent.
The formulas are those of Kueue's resource node (kubernetes-sigs/kueue,
pkg/cache/scheduler/resource_node.go, v0.18): see disciplines/quota/README.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from console.engine.amounts import UNLIMITED, Amount, Unlimited
from console.engine.policy import Policy, Quota, ResourceGroup

#: (flavor, resource): what quota is counted on.
FlavorResource: TypeAlias = tuple[str, str]

NO_QUOTA = Quota()


class Node:
    """One queue or cohort: its quotas, its usage, its children."""

    __slots__ = ("children", "deposit", "name", "parent", "quotas", "subtree", "usage")

    def __init__(self, name: str, groups: Iterable[ResourceGroup] = ()) -> None:
        self.name = name
        self.parent: Node | None = None
        self.children: list[Node] = []
        self.quotas: dict[FlavorResource, Quota] = {
            (entry.flavor, resource): quota
            for group in groups
            for entry in group.flavors
            for resource, quota in entry.quotas.items()
        }
        self.usage: dict[FlavorResource, int] = {}
        self.subtree: dict[FlavorResource, Amount] = {}
        self.deposit: dict[FlavorResource, Amount] = {}

    def quota(self, key: FlavorResource) -> Quota:
        """Return the node's own quota; zero where it has none."""
        return self.quotas.get(key, NO_QUOTA)

    def measure(self) -> None:
        """Compute subtree quota and deposit from the children, which are measured first."""
        keys = set(self.quotas)
        for child in self.children:
            child.measure()
            keys |= child.deposit.keys()
        for key in keys:
            total = self.quota(key).nominal
            for child in self.children:
                total = total + child.deposit.get(key, 0)
            self.subtree[key] = total
            self.deposit[key] = min(total, self.quota(key).lending_limit)

    def overflow(self, key: FlavorResource, usage: int) -> int:
        """Return the part of *usage* that local quota does not cover: what the parent sees."""
        total, deposit = self.subtree.get(key, 0), self.deposit.get(key, 0)
        if isinstance(total, Unlimited):
            # Everything but a bounded deposit stays at home, and that has no end.
            return usage if isinstance(deposit, Unlimited) else 0
        return max(0, usage - (total - _finite(deposit)))

    def local_available(self, key: FlavorResource) -> Amount:
        """Return the unused part of local quota."""
        total, deposit = self.subtree.get(key, 0), self.deposit.get(key, 0)
        if isinstance(total, Unlimited):
            return 0 if isinstance(deposit, Unlimited) else UNLIMITED
        return max(0, total - _finite(deposit) - self.usage.get(key, 0))

    def available(self, key: FlavorResource) -> Amount:
        """
        Return how much more this node may use right now.

        Negative when quota was taken away after admission, or when a sibling is
        over its own; callers treat that as nothing, reports show it.
        """
        used = self.usage.get(key, 0)
        if self.parent is None:
            return self.subtree.get(key, 0) - used
        above = self.parent.available(key)
        limit = self.quota(key).borrowing_limit
        drawn = self.overflow(key, used)
        above = min(above, self.deposit.get(key, 0) - drawn + limit)
        return self.local_available(key) + above

    def potential(self, key: FlavorResource) -> Amount:
        """Return what this node could use if nothing ran anywhere."""
        total = self.subtree.get(key, 0)
        if self.parent is None:
            return total
        deposit = self.deposit.get(key, 0)
        local = UNLIMITED if isinstance(total, Unlimited) else total - _finite(deposit)
        if isinstance(total, Unlimited) and isinstance(deposit, Unlimited):
            local = 0
        return min(local + self.parent.potential(key), total + self.quota(key).borrowing_limit)

    def add(self, key: FlavorResource, amount: int) -> None:
        """Use *amount* here; a negative amount gives back."""
        before = self.usage.get(key, 0)
        after = before + amount
        if after:
            self.usage[key] = after
        else:
            self.usage.pop(key, None)
        if self.parent is not None:
            change = self.overflow(key, after) - self.overflow(key, before)
            if change:
                self.parent.add(key, change)


class Ledger:
    """The quota tree of one policy with the usage of the workloads that run under it."""

    def __init__(self, policy: Policy) -> None:
        self._cohorts = {name: Node(name, cohort.groups) for name, cohort in policy.cohorts.items()}
        self._queues = {name: Node(name, queue.groups) for name, queue in policy.queues.items()}
        parents = [(self._queues[q.name], q.parent) for q in policy.queues.values()]
        parents += [(self._cohorts[c.name], c.parent) for c in policy.cohorts.values()]
        for node, parent in parents:
            if parent is not None:
                node.parent = self._cohorts[parent]
                node.parent.children.append(node)
        for node in (*self._queues.values(), *self._cohorts.values()):
            if node.parent is None:
                node.measure()

    def queue(self, name: str) -> Node:
        """
        Return the node of a queue.

        A queue that the policy no longer has gets a node without quota: its
        running workloads stay charged to it while it drains.
        """
        node = self._queues.get(name)
        if node is None:
            node = self._queues[name] = Node(name)
        return node

    def cohort(self, name: str) -> Node:
        """Return the node of a cohort; raises KeyError when the policy has none of that name."""
        return self._cohorts[name]

    def add(self, queue: str, usage: Mapping[FlavorResource, int]) -> None:
        """Charge *usage*, in thousandths, to a queue and what it overflows to its cohorts."""
        node = self.queue(queue)
        for key, amount in usage.items():
            node.add(key, amount)

    def remove(self, queue: str, usage: Mapping[FlavorResource, int]) -> None:
        """Take back what `add` charged."""
        node = self.queue(queue)
        for key, amount in usage.items():
            node.add(key, -amount)


def _finite(amount: Amount) -> int:
    assert isinstance(amount, int), "a deposit is never above its finite subtree quota"
    return amount
