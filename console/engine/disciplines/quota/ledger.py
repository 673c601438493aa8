"""
The ledger: quota, usage, borrowing and lending of every node of the quota trees.

A node is a queue (leaf) or a cohort (inner node). It has a *cell* per flavor-resource.
The part of a node's *subtree quota* within its lending limit is its *deposit* in the
parent; the rest, its *local quota*, is never lent. Usage fills local quota first, and
only the overflow is charged to the parent. The formulas are those of Kueue's resource
node (kubernetes-sigs/kueue, pkg/cache/scheduler/resource_node.go): see
disciplines/quota/README.md.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from typing import TypeAlias

from console.engine.disciplines.quota.hierarchy import Hierarchy
from console.engine.disciplines.quota.spec import (
    Cohort,
    QueueSpec,
    Quota,
    ResourceGroup,
    quota_policy,
    spec_of,
)
from console.engine.live.live_tree import QueueState
from console.engine.model.amounts import (
    UNLIMITED,
    WEIGHT_ONE,
    Amount,
    FlavorResource,
    Unlimited,
    Usage,
)
from console.engine.model.policy import Policy

NO_QUOTA = Quota()


class Cell:
    """One node's account of one flavor-resource; amounts in thousandths."""

    __slots__ = (
        "bound",
        "deposit",
        "is_declared",
        "local",
        "parent",
        "potential",
        "quota",
        "subtree",
        "used",
    )

    def __init__(
        self, quota: Quota, parent: Cell | None, deposits: Amount, *, is_declared: bool
    ) -> None:
        self.quota = quota
        #: Whether the node, or a node below it, declares a quota for it, even zero.
        self.is_declared = is_declared
        self.parent = parent
        self.used = 0
        self.subtree: Amount = quota.nominal + deposits
        #: The part that the parent may lend to others, and the part that is never lent.
        self.deposit: Amount = min(self.subtree, quota.lending_limit)
        self.local: Amount = _local(self.subtree, self.deposit)
        #: Deposit and borrowing limit together; None when borrowing is not limited.
        self.bound: Amount | None = (
            None
            if parent is None or quota.borrowing_limit is UNLIMITED
            else self.deposit + quota.borrowing_limit
        )
        #: The amount that the node could use if nothing ran anywhere.
        self.potential: Amount = 0

    @property
    def nominal(self) -> Amount:
        """The node's own quota."""
        return self.quota.nominal

    @property
    def local_available(self) -> Amount:
        """The unused part of local quota."""
        return self.local - self.used if self.local > self.used else 0

    @property
    def drawn(self) -> int:
        """The part of the usage here that is charged to the parent."""
        local = self.local
        if isinstance(local, Unlimited):
            return 0
        return self.used - local if self.used > local else 0

    @property
    def available(self) -> Amount:
        """
        The amount that the node may use in addition now.

        Negative when quota was reduced after admission, or when a sibling exceeds its quota;
        callers treat a negative amount as zero, reports show it.
        """
        parent = self.parent
        if parent is None:
            return self.subtree - self.used
        above = parent.available
        used, local = self.used, self.local
        if local == 0:
            if self.bound is not None and self.bound - used < above:
                return self.bound - used
            return above
        if self.bound is not None:
            above = min(above, self.bound - self.drawn)
        return local - used + above if local > used else above

    @property
    def over(self) -> int:
        """The usage beyond the subtree quota: borrowed, or admitted under a larger quota."""
        if isinstance(self.subtree, Unlimited):
            return 0
        return self.used - self.subtree if self.used > self.subtree else 0

    def add(self, amount: int) -> None:
        """Charge *amount* to this cell, and the overflow to its parents; negative: release it."""
        cell: Cell | None = self
        while cell is not None:
            if cell.local == 0:
                # The usual case: everything is lent, and the parent is charged in full.
                cell.used += amount
            else:
                before = cell.drawn
                cell.used += amount
                amount = cell.drawn - before
                if not amount:
                    return
            cell = cell.parent

    def twin(self, parent: Cell | None) -> Cell:
        """Return an independent cell with the same values, below *parent*."""
        cell = Cell.__new__(Cell)
        cell.quota, cell.parent, cell.used = self.quota, parent, self.used
        cell.subtree, cell.deposit, cell.local = self.subtree, self.deposit, self.local
        cell.bound, cell.potential = self.bound, self.potential
        cell.is_declared = self.is_declared
        return cell

    def measure_potential(self) -> None:
        """Compute `potential`, after that of the parent."""
        if self.parent is None:
            self.potential = self.subtree
            return
        self.potential = self.local + self.parent.potential
        if self.quota.borrowing_limit is not UNLIMITED:
            self.potential = min(self.potential, self.subtree + self.quota.borrowing_limit)


class Node:
    """One queue or cohort in the quota tree, with its cells."""

    __slots__ = (
        "cells",
        "children",
        "height",
        "lendable",
        "name",
        "parent",
        "path",
        "quotas",
        "weight",
    )

    def __init__(
        self, name: str, groups: Iterable[ResourceGroup] = (), weight: int = WEIGHT_ONE
    ) -> None:
        self.name = name
        self.parent: Node | None = None
        self.children: list[Node] = []
        #: Names of the cohorts above, the nearest first.
        self.path: tuple[str, ...] = ()
        #: Length of the longest path down to a queue: 0 for a queue.
        self.height = 0
        #: Fair share weight in billionths.
        self.weight = weight
        self.quotas = _quotas(groups)
        self.cells: dict[FlavorResource, Cell] = {}
        #: Potential by resource, summed over all flavors: the amount that its children may share.
        self.lendable: dict[str, Amount] = {}

    def twin(self, parent: Node | None) -> Node:
        """Return an independent node with the same values, below *parent*, without children."""
        node = Node(self.name, weight=self.weight)
        node.parent, node.path, node.height = parent, self.path, self.height
        node.quotas, node.lendable = self.quotas, self.lendable
        if parent is None:
            node.cells = {key: cell.twin(None) for key, cell in self.cells.items()}
        else:
            parent.children.append(node)
            above = parent.cells
            node.cells = {key: cell.twin(above[key]) for key, cell in self.cells.items()}
        return node

    @property
    def root(self) -> Node:
        """The top of the tree."""
        node = self
        while node.parent is not None:
            node = node.parent
        return node

    def cell(self, key: FlavorResource) -> Cell:
        """Return the node's cell of *key*, created without quota if no node of the tree has any."""
        cell = self.cells.get(key)
        if cell is None:
            above = self.parent.cell(key) if self.parent is not None else None
            cell = self.cells[key] = Cell(self.quota(key), above, 0, is_declared=False)
            cell.measure_potential()
        return cell

    def quota(self, key: FlavorResource) -> Quota:
        """Return the node's own quota; zero where it has none."""
        return self.quotas.get(key, NO_QUOTA)

    @property
    def usage(self) -> dict[FlavorResource, int]:
        """The usage of the node, without zeros."""
        return {key: cell.used for key, cell in self.cells.items() if cell.used}

    def available(self, key: FlavorResource) -> Amount:
        """Return `Cell.available` of *key*."""
        return self.cell(key).available

    def potential(self, key: FlavorResource) -> Amount:
        """Return the amount of *key* that this node could use if nothing ran anywhere."""
        return self.cell(key).potential

    # The interface of an account of the live state

    def flavor_resources(self) -> Iterable[FlavorResource]:
        """Return the keys of all cells, including cells without quota."""
        return self.cells.keys()

    def guaranteed(self, key: FlavorResource) -> Amount:
        """Return the node's own nominal quota."""
        return self.cell(key).nominal

    def used(self, key: FlavorResource) -> int:
        """Return the usage of *key* by the node."""
        return self.cell(key).used

    def over(self, key: FlavorResource) -> int:
        """Return `Cell.over` of *key*."""
        return self.cell(key).over

    def limit(self, key: FlavorResource) -> Amount:
        """Return `potential` of *key*."""
        return self.cell(key).potential

    def subtree(self, key: FlavorResource) -> Amount:
        """Return the quota of the node plus the deposits of the nodes below it."""
        return self.cell(key).subtree

    def has_room(self, usage: Usage) -> bool:
        """Return whether *usage* is available in every cell."""
        cells = self.cells
        for key, amount in usage.items():
            cell = cells.get(key) or self.cell(key)
            if amount > cell.available and amount > 0:
                return False
        return True

    def keys(self) -> set[FlavorResource]:
        """Return every flavor-resource that a node at or below this one has quota for."""
        keys = set(self.quotas)
        for child in self.children:
            keys |= child.keys()
        return keys


#: A queue of the live state with its account in a ledger.
QuotaQueue: TypeAlias = QueueState[Node, QueueSpec]


def covers(queue: QuotaQueue) -> Mapping[str, int]:
    """Return the resources that *queue* limits, each with the index of the group that covers it."""
    return queue.policy.covers if queue.policy is not None else {}


class Ledger:
    """
    The quota trees of one policy with the usage of the workloads that run under it.

    A tree is built when one of its queues or cohorts is first requested, because a query about
    one workload needs only one of perhaps many trees.
    """

    def __init__(self, policy: Policy | None = None) -> None:
        """Without a *policy* there is no tree."""
        self._cohorts: dict[str, Node] = {}
        self._queues: dict[str, Node] = {}
        self._policy = policy or quota_policy("")

    def queue(self, name: str) -> Node:
        """
        Return the node of a queue.

        A queue that the policy no longer has gets a node without quota: its
        running workloads stay charged to it while it drains.
        """
        node = self._queues.get(name)
        if node is None:
            queue = spec_of(self._policy).queues.get(name)
            if queue is None:
                node = self._queues[name] = Node(name)
            elif queue.parent is None:
                node = self._queues[name] = _node(queue)
                _open_cells(node, node.keys())
            else:
                self._build_tree(self._tree_index.root(queue.parent))
                node = self._queues[name]
        return node

    def cohort(self, name: str) -> Node:
        """Return the node of a cohort; raises KeyError when the policy has none of that name."""
        if name not in self._cohorts:
            self._build_tree(self._tree_index.root(name))
        return self._cohorts[name]

    def queues_around(self, name: str) -> list[str]:
        """Return the names of all queues in the tree of queue *name*, in the order of the text."""
        queue = spec_of(self._policy).queues.get(name)
        if queue is None or queue.parent is None:
            return [name]
        return [each.name for each in self._tree_index.queues[self._tree_index.root(queue.parent)]]

    @cached_property
    def _tree_index(self) -> _TreeIndex:
        return _TreeIndex(self._policy)

    def _build_tree(self, root: str) -> None:
        cohorts, queues = self._tree_index.cohorts[root], self._tree_index.queues[root]
        self._cohorts.update((cohort.name, _node(cohort)) for cohort in cohorts)
        self._queues.update((queue.name, _node(queue)) for queue in queues)
        nodes = [(self._queues[each.name], each.parent) for each in queues]
        nodes += [(self._cohorts[each.name], each.parent) for each in cohorts]
        for node, parent in nodes:
            if parent is not None:
                node.parent = self._cohorts[parent]
                node.parent.children.append(node)
        top = self._cohorts[root]
        _open_cells(top, top.keys())

    def copy(self, root: Node) -> Ledger:
        """Return an independent copy of the tree of *root* with its usage."""
        copy = Ledger()
        order: list[tuple[Node, Node | None]] = [(root, None)]
        for theirs, parent in order:
            mine = theirs.twin(parent)
            is_queue = self._queues.get(theirs.name) is theirs
            (copy._queues if is_queue else copy._cohorts)[theirs.name] = mine
            order.extend((child, mine) for child in theirs.children)
        return copy

    def change(self, node: Node, groups: Iterable[ResourceGroup], weight: int) -> None:
        """Replace the quotas and the weight of *node*; the usage of the whole tree is unchanged."""
        before, node.quotas, node.weight = node.quotas, _quotas(groups), weight
        keys = before.keys() | node.quotas.keys()
        changed = [key for key in keys if before.get(key) != node.quotas.get(key)]
        below = [each for each in _subtree(node.root) if not each.children]
        used = [(each, key, each.cell(key).used) for each in below for key in changed]
        if changed:
            _open_cells(node.root, changed)
        for leaf, key, amount in used:
            leaf.cells[key].add(amount)

    def adapt(self, before: Policy, after: Policy, queues: Collection[str]) -> None:
        """Apply the quotas and weights of *queues* and cohorts that differ between policies."""
        for name in queues:
            queue = spec_of(after).queues[name]
            if queue is not spec_of(before).queues[name]:
                self.change(self.queue(name), queue.groups, queue.fair_weight)
        for name, cohort in spec_of(after).cohorts.items():
            if cohort is not spec_of(before).cohorts[name]:
                self.change(self.cohort(name), cohort.groups, cohort.fair_weight)

    def add(self, queue: str, usage: Usage) -> None:
        """Charge *usage* to a queue, and the overflow to its cohorts."""
        node = self.queue(queue)
        for key, amount in usage.items():
            node.cell(key).add(amount)

    def remove(self, queue: str, usage: Usage) -> None:
        """Release what `add` charged."""
        node = self.queue(queue)
        for key, amount in usage.items():
            node.cell(key).add(-amount)


class _TreeIndex:
    """The queues and cohorts of a policy by the root cohort of their tree."""

    def __init__(self, policy: Policy) -> None:
        self._trees = Hierarchy(policy)
        #: In the order of the text.
        self.cohorts: defaultdict[str, list[Cohort]] = defaultdict(list)
        self.queues: defaultdict[str, list[QueueSpec]] = defaultdict(list)
        for cohort in spec_of(policy).cohorts.values():
            self.cohorts[self.root(cohort.name)].append(cohort)
        for queue in spec_of(policy).queues.values():
            if queue.parent is not None:
                self.queues[self.root(queue.parent)].append(queue)

    def root(self, cohort: str) -> str:
        """Return the root cohort of the tree of *cohort*; raises KeyError if unknown."""
        return next(iter(self._trees.path(cohort)), cohort)


def _node(owner: QueueSpec | Cohort) -> Node:
    return Node(owner.name, owner.groups, owner.fair_weight)


def _open_cells(root: Node, keys: Iterable[FlavorResource]) -> None:
    """Create a cell per key in every node of a tree, linked to its parent's, with potentials."""
    order = _subtree(root)
    for node in order:
        for child in node.children:
            child.path = (node.name, *node.path)
    deposits: dict[int, dict[FlavorResource, Amount]] = {}
    keys = sorted(keys)
    # Children before parents for sums, parents before children for links.
    for node in reversed(order):
        node.height = 1 + max((child.height for child in node.children), default=-1)
        if node.parent is None:
            continue
        above = deposits.setdefault(id(node.parent), {})
        below = deposits.get(id(node), {})
        for key in keys:
            quota = node.quotas.get(key)
            if quota is not None:
                deposit = min(quota.nominal + below.get(key, 0), quota.lending_limit)
                above[key] = above.get(key, 0) + deposit
            elif key in below:
                above[key] = above.get(key, 0) + below[key]
    for node in order:
        below = deposits.get(id(node), {})
        above_cells = node.parent.cells if node.parent is not None else {}
        for key in keys:
            cell = Cell(
                node.quota(key),
                above_cells.get(key),
                below.get(key, 0),
                is_declared=key in node.quotas or key in below,
            )
            cell.measure_potential()
            node.cells[key] = cell
    for node in order:
        node.lendable = {}
        for (_, resource), cell in node.cells.items():
            node.lendable[resource] = node.lendable.get(resource, 0) + cell.potential


def _subtree(root: Node) -> list[Node]:
    """Return *root* and every node below it, parents before children."""
    order = [root]
    for node in order:
        order.extend(node.children)
    return order


def _quotas(groups: Iterable[ResourceGroup]) -> dict[FlavorResource, Quota]:
    return {
        (entry.flavor, resource): quota
        for group in groups
        for entry in group.flavors
        for resource, quota in entry.quotas.items()
    }


def _local(subtree: Amount, deposit: Amount) -> Amount:
    if isinstance(subtree, Unlimited):
        # An unlimited quota minus a bounded deposit is unlimited.
        return 0 if isinstance(deposit, Unlimited) else UNLIMITED
    assert isinstance(deposit, int), "a deposit is never above its finite subtree quota"
    return subtree - deposit
