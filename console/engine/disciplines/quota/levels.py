"""Borrowing levels: the height of the cohort that a queue borrows from, and whether it reclaims."""

from __future__ import annotations

from console.engine.disciplines.quota.ledger import Node
from console.engine.model.amounts import Amount, FlavorResource


def borrow_level(node: Node, key: FlavorResource, amount: int) -> tuple[int, bool]:
    """
    Return the borrowing level of *amount* more, and whether the queue may reclaim quota for it.

    Level 0: the queue's own nominal quota covers it. Otherwise the height of the
    first cohort whose quota covers it in addition to its usage (Kueue, spec 5.6).
    """
    cell = node.cell(key)
    if node.parent is None:
        return 0, False
    if cell.used + amount <= cell.nominal:
        return 0, True
    rest = _beyond(amount, cell.local_available)
    above = node.parent
    while True:
        cell = above.cell(key)
        if cell.used + rest <= cell.subtree:
            return above.height, above.parent is not None
        rest = _beyond(rest, cell.local_available)
        if above.parent is None:
            return above.height, False
        above = above.parent


def _beyond(amount: int, available: Amount) -> int:
    assert isinstance(available, int), "a node with unlimited local quota covers every amount"
    return amount - available


def within_nominal(node: Node, keys: frozenset[FlavorResource]) -> bool:
    """Return whether a node uses at most its subtree quota in each of *keys* (spec 5.5)."""
    cells = node.cells
    for key in keys:
        cell = cells.get(key)
        if cell is not None and cell.used > cell.subtree:
            return False
    return True
