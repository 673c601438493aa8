"""Dominant resource shares: the share of lendable quota that a node borrows, by its weight."""

from __future__ import annotations

from dataclasses import dataclass
from functools import total_ordering

from console.engine.disciplines.quota.ledger import Node
from console.engine.model.amounts import WEIGHT_ONE, Unlimited

#: An unlimited lendable amount, as in Kueue's 64-bit arithmetic.
_ENDLESS = 2**63 - 1


@total_ordering
@dataclass(frozen=True, slots=True, eq=False)
class Share:
    """
    A dominant resource share as an exact fraction: borrowed by lendable quota, by the weight.

    A borrower of zero weight has a larger share than any with a weight.
    """

    #: borrowed / lendable of the dominant resource, as integers; 0 / 1 when nothing is borrowed.
    borrowed: int = 0
    lendable: int = 1
    #: In billionths.
    weight: int = WEIGHT_ONE
    #: The dominant resource; None when nothing is borrowed.
    resource: str | None = None
    #: Whether quota is borrowed, even if nothing can be lent and the share is zero.
    is_borrowing: bool = False

    @property
    def is_unbounded(self) -> bool:
        """Whether the node borrows with a weight of zero."""
        return self.weight == 0 and self.borrowed > 0

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Share):
            return NotImplemented
        return not self < other and not other < self

    __hash__ = None  # type: ignore[assignment]

    def __lt__(self, other: Share) -> bool:
        left, right = self.borrowed * other.lendable, other.borrowed * self.lendable
        if self.is_unbounded or other.is_unbounded:
            if self.is_unbounded and other.is_unbounded:
                return left < right
            return other.is_unbounded
        # With zero weight and nothing borrowed the share is zero.
        return left * (other.weight or 1) < right * (self.weight or 1)

    def thousandths(self) -> int | None:
        """Return the share in thousandths, rounded up as Kueue does; None: unbounded."""
        if self.is_unbounded:
            return None
        if not self.borrowed:
            return 0
        return -(-self.borrowed * 1000 * WEIGHT_ONE // (self.lendable * self.weight))


ZERO = Share()


def dominant_share(node: Node) -> Share:
    """
    Return the dominant share of *node* at this moment (Kueue, spec 7.6).

    A node without a parent has nothing to borrow from: its share is zero. Usage of a
    flavor-resource for which neither the node nor a node below it states a quota is not counted.
    """
    parent = node.parent
    if parent is None:
        return ZERO
    borrowed: dict[str, int] = {}
    for (_, resource), cell in node.cells.items():
        over = cell.over
        if over and cell.is_declared:
            borrowed[resource] = borrowed.get(resource, 0) + over
    if not borrowed:
        return ZERO
    top, of, name = 0, 1, None
    for resource in sorted(borrowed):
        lendable = parent.lendable.get(resource, 0)
        if isinstance(lendable, Unlimited):
            lendable = _ENDLESS
        if lendable > 0 and borrowed[resource] * of > top * lendable:
            top, of, name = borrowed[resource], lendable, resource
    return Share(top, of, node.weight, name, is_borrowing=True)
