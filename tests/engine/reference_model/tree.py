"""The quota tree: nominal, used, available and potential quota of each node (spec 5)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TypeAlias

from console.engine.disciplines.quota.spec import Cohort, QueueSpec, Quota, spec_of
from console.engine.model.amounts import Amount, Unlimited
from console.engine.model.policy import Policy
from tests.engine.reference_model.world import Pair, Running, Usage

Node: TypeAlias = QueueSpec | Cohort

#: Stands for UNLIMITED in sums; larger than any sum of finite amounts.
INFINITE = 10**30

NO_QUOTA = Quota()


class Tree:
    """The nodes of a policy and the usage of each queue; everything else is computed on demand."""

    def __init__(
        self, policy: Policy, running: Iterable[Running] = (), active: Collection[str] | None = None
    ) -> None:
        """Add the usage of *running*; *active* are the queues that take part (None: all)."""
        self.policy = policy
        self.active = set(policy.queues if active is None else active)
        self.held: dict[str, Usage] = {}
        for each in running:
            self.add(each.queue, each.usage)

    def copy(self) -> Tree:
        """Return an independent copy."""
        twin = Tree(self.policy, (), self.active)
        twin.held = {queue: dict(usage) for queue, usage in self.held.items()}
        return twin

    def add(self, queue: str, usage: Mapping[Pair, int]) -> None:
        """Add *usage* to *queue*."""
        held = self.held.setdefault(queue, {})
        for pair, amount in usage.items():
            held[pair] = held.get(pair, 0) + amount

    def remove(self, queue: str, usage: Mapping[Pair, int]) -> None:
        """Subtract *usage* from *queue*."""
        self.add(queue, {pair: -amount for pair, amount in usage.items()})

    def without(self, running: Iterable[Running]) -> Tree:
        """Return a copy without the usage of *running*."""
        twin = self.copy()
        for each in running:
            twin.remove(each.queue, each.usage)
        return twin

    # Shape

    def queue(self, name: str) -> QueueSpec:
        """Return the queue *name*."""
        return self.policy.queues[name]

    def parent(self, node: Node) -> Cohort | None:
        """Return the cohort above *node*, or None."""
        return None if node.parent is None else spec_of(self.policy).cohorts[node.parent]

    def path(self, node: Node) -> list[Cohort]:
        """Return the cohorts above *node*, the nearest first."""
        parent = self.parent(node)
        return [] if parent is None else [parent, *self.path(parent)]

    def root(self, node: Node) -> Node:
        """Return the root of the tree of *node*."""
        return [node, *self.path(node)][-1]

    def queues_of(self, cohort: Cohort) -> list[QueueSpec]:
        """Return the queues directly under *cohort*."""
        return [each for each in self.policy.queues.values() if each.parent == cohort.name]

    def cohorts_of(self, cohort: Cohort) -> list[Cohort]:
        """Return the cohorts directly under *cohort*, by name."""
        children = [
            each for each in spec_of(self.policy).cohorts.values() if each.parent == cohort.name
        ]
        return sorted(children, key=lambda each: each.name)

    def children(self, node: Node) -> list[Node]:
        """Return all nodes directly under *node*."""
        if isinstance(node, QueueSpec):
            return []
        return [*self.queues_of(node), *self.cohorts_of(node)]

    def height(self, cohort: Cohort) -> int:
        """Return the length of the longest path down to a leaf (spec 5.6)."""
        below = [self.height(each) + 1 for each in self.cohorts_of(cohort)]
        leaves = [1 for each in self.queues_of(cohort) if each.name in self.active]
        return max([0, *below, *leaves])

    # Quota

    def pairs(self, node: Node) -> set[Pair]:
        """Return the flavor-resources for which *node*, or a node under it, has a quota."""
        own = {
            (each.flavor, resource)
            for group in node.groups
            for each in group.flavors
            for resource in each.quotas
        }
        return own.union(*(self.pairs(child) for child in self.children(node)))

    def quota(self, node: Node, pair: Pair) -> Quota:
        """Return the quota that *node* itself defines for *pair*."""
        flavor, resource = pair
        for group in node.groups:
            for each in group.flavors:
                if each.flavor == flavor and resource in each.quotas:
                    return each.quotas[resource]
        return NO_QUOTA

    def nominal(self, node: Node, pair: Pair) -> int:
        """Return N, the nominal quota."""
        return _number(self.quota(node, pair).nominal)

    def borrowing_limit(self, node: Node, pair: Pair) -> int | None:
        """Return B, the borrowing limit, or None if it is unlimited."""
        return _limit(self.quota(node, pair).borrowing_limit)

    def subtree(self, node: Node, pair: Pair) -> int:
        """Return S, the nominal quota plus what the children can lend."""
        deposits = (
            self.subtree(child, pair) - self.local(child, pair) for child in self.children(node)
        )
        return self.nominal(node, pair) + sum(deposits)

    def local(self, node: Node, pair: Pair) -> int:
        """Return the part of S that is never lent."""
        lending_limit = _limit(self.quota(node, pair).lending_limit)
        return 0 if lending_limit is None else max(0, self.subtree(node, pair) - lending_limit)

    def usage(self, node: Node, pair: Pair) -> int:
        """Return U: a queue's usage; for a cohort, the children's usage beyond their own part."""
        if isinstance(node, QueueSpec):
            return self.held.get(node.name, {}).get(pair, 0)
        return sum(
            max(0, self.usage(child, pair) - self.local(child, pair))
            for child in self.children(node)
        )

    def local_available(self, node: Node, pair: Pair) -> int:
        """Return the unused rest of the part that is never lent."""
        return max(0, self.local(node, pair) - self.usage(node, pair))

    def available(self, node: Node, pair: Pair) -> int:
        """Return the available quota of *node*; negative if usage exceeds the quota (spec 5.2)."""
        parent = self.parent(node)
        if parent is None:
            return self.subtree(node, pair) - self.usage(node, pair)
        from_parent = self.available(parent, pair)
        limit = self.borrowing_limit(node, pair)
        if limit is not None:
            deposit = self.subtree(node, pair) - self.local(node, pair)
            drawn = max(0, self.usage(node, pair) - self.local(node, pair))
            from_parent = min(from_parent, deposit - drawn + limit)
        return self.local_available(node, pair) + from_parent

    def room(self, queue: QueueSpec, pair: Pair) -> int:
        """Return the available quota for workloads of *queue*, at least 0."""
        return max(0, self.available(queue, pair))

    def has_room(self, queue: QueueSpec, request: Mapping[Pair, int]) -> bool:
        """Return whether the whole request fits the available quota of *queue*."""
        return all(amount <= self.room(queue, pair) for pair, amount in request.items())

    def potential(self, node: Node, pair: Pair) -> int:
        """Return the available quota of *node* if no workload were running (spec 5.3)."""
        parent = self.parent(node)
        if parent is None:
            return self.subtree(node, pair)
        most = self.local(node, pair) + self.potential(parent, pair)
        limit = self.borrowing_limit(node, pair)
        return most if limit is None else min(most, self.subtree(node, pair) + limit)

    # Borrowing

    def borrows_with(self, node: Node, pair: Pair, amount: int) -> bool:
        """Return whether *node* exceeds its subtree quota with *amount* more."""
        return self.subtree(node, pair) < self.usage(node, pair) + amount

    def is_within_nominal(self, node: Node, pairs: Iterable[Pair]) -> bool:
        """Return whether *node* uses at most its subtree quota in all *pairs* (spec 5.5)."""
        return not any(self.borrows_with(node, pair, 0) for pair in pairs)

    def level(self, queue: QueueSpec, pair: Pair, amount: int) -> tuple[int, bool]:
        """
        Return the borrowing level of *queue* for *amount*, and whether the amount may be reclaimed.

        The level is the height of the lowest subtree whose own quota suffices (spec 5.6).
        """
        above = self.path(queue)
        if not above or not self.borrows_with(queue, pair, amount):
            return 0, bool(above)
        rest = amount - self.local_available(queue, pair)
        for cohort in above:
            if not self.borrows_with(cohort, pair, rest):
                return self.height(cohort), cohort.parent is not None
            rest -= self.local_available(cohort, pair)
        return self.height(above[-1]), False


def _number(amount: Amount) -> int:
    return INFINITE if isinstance(amount, Unlimited) else amount


def _limit(amount: Amount) -> int | None:
    return None if isinstance(amount, Unlimited) else amount
