"""Cohort pools: the cohorts and lenders behind the available quota of a queue, for explanations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from console.engine.disciplines.quota.ledger import Node
from console.engine.disciplines.quota.trace import FlavorTried, GroupStep, NodeFact, QuotaCheck
from console.engine.model.amounts import FlavorResource, Unlimited

#: The most lenders in a check: those with the most unused quota.
_MAX_LENDERS = 5


def with_pools(groups: tuple[GroupStep, ...], node: Node) -> tuple[GroupStep, ...]:
    """
    Return the walks of a workload of the queue at *node*, with the pools behind every check.

    The pools are those of *node*'s tree at this moment; a queue without a cohort has none.
    They are too expensive to store with decisions: each check examines every queue of the
    tree.
    """
    if node.parent is None:
        return groups
    others = [each for each in _queues(node.root) if each is not node]
    return tuple(
        replace(group, flavors=tuple(_flavor(tried, node, others) for tried in group.flavors))
        for group in groups
    )


def lending_cohort(node: Node, level: int) -> str | None:
    """
    Return the cohort that quota is borrowed from at *level*; None at level 0.

    Heights increase on the path up, so a level identifies one cohort (Kueue, spec 5.6).
    """
    if not level:
        return None
    return next((each.name for each in _above(node) if each.height == level), None)


def _flavor(tried: FlavorTried, node: Node, others: Sequence[Node]) -> FlavorTried:
    checks = tuple(
        _pooled(check, node, (tried.flavor, check.resource), others) for check in tried.checks
    )
    return replace(tried, checks=checks)


def _pooled(
    check: QuotaCheck, node: Node, key: FlavorResource, others: Sequence[Node]
) -> QuotaCheck:
    return replace(
        check,
        borrows_from=lending_cohort(node, check.borrow_level),
        borrowing_limit=node.quota(key).borrowing_limit,
        path=tuple(_fact(each, key) for each in _above(node)),
        lenders=_lenders(others, key),
    )


def _fact(cohort: Node, key: FlavorResource) -> NodeFact:
    cell, quota = cohort.cell(key), cohort.quota(key)
    return NodeFact(
        name=cohort.name,
        quota=cell.subtree,
        used=cell.used,
        available=cell.available,
        borrowing_limit=quota.borrowing_limit,
        origin=quota.origin,
    )


def _lenders(others: Sequence[Node], key: FlavorResource) -> dict[str, int]:
    """Return the unused quota that *others* of the tree may lend, the most first."""
    unused = []
    for queue in others:
        cell = queue.cells.get(key)
        # Most queues of a busy tree have no unused quota: skip them early.
        if cell is None or cell.used >= cell.quota.nominal:
            continue
        free = min(cell.nominal - cell.used, cell.deposit)
        if not isinstance(free, Unlimited) and free > 0:
            unused.append((-free, queue.name))
    return {name: -free for free, name in sorted(unused)[:_MAX_LENDERS]}


def _above(node: Node) -> Iterator[Node]:
    cohort = node.parent
    while cohort is not None:
        yield cohort
        cohort = cohort.parent


def _queues(root: Node) -> Iterator[Node]:
    # A cohort without members also has height 0, and lends like a queue.
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.height:
            waiting += node.children
        else:
            yield node
