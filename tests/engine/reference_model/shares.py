"""Dominant resource shares: borrowed quota relative to lendable quota (spec 7.6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import total_ordering

from console.engine.model.amounts import WEIGHT_ONE
from tests.engine.reference_model.tree import Node, Tree
from tests.engine.reference_model.world import Pair


@total_ordering
@dataclass(frozen=True, eq=False)
class Share:
    """A dominant resource share, exact, in thousandths of the lendable quota."""

    #: The unweighted share.
    ratio: Fraction
    #: Fair weight in units, not in billionths.
    weight: Fraction
    #: The resource with the largest borrowed ratio; "" if nothing is borrowed.
    resource: str = ""
    #: Whether anything is borrowed, even if nothing of it is lendable.
    is_borrowing: bool = False

    @property
    def value(self) -> Fraction | None:
        """The weighted share; None if unbounded."""
        if not self.ratio:
            return Fraction(0)
        return self.ratio / self.weight if self.weight else None

    @property
    def key(self) -> tuple[bool, Fraction]:
        """Sort key: unbounded shares come after all others, ordered by unweighted share."""
        return (True, self.ratio) if self.value is None else (False, self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Share) and self.key == other.key

    def __lt__(self, other: Share) -> bool:
        return self.key < other.key

    __hash__ = None  # type: ignore[assignment]


def share(tree: Tree, node: Node, extra: Mapping[Pair, int] | None = None) -> Share:
    """Return the dominant share of *node* with *extra* usage added; the share of a root is zero."""
    added = extra or {}
    weight = Fraction(node.fair_weight, WEIGHT_ONE)
    parent = tree.parent(node)
    if parent is None:
        return Share(Fraction(0), weight)
    borrowed: dict[str, int] = {}
    for pair in sorted(tree.pairs(node)):
        used = tree.usage(node, pair) + added.get(pair, 0)
        excess = max(0, used - tree.subtree(node, pair))
        borrowed[pair[1]] = borrowed.get(pair[1], 0) + excess
    lendable: dict[str, int] = {}
    for pair in tree.pairs(tree.root(node)):
        lendable[pair[1]] = lendable.get(pair[1], 0) + tree.potential(parent, pair)
    ratio, resource = Fraction(0), ""
    for name in sorted(borrowed):
        if lendable[name] > 0 and Fraction(borrowed[name] * 1000, lendable[name]) > ratio:
            ratio, resource = Fraction(borrowed[name] * 1000, lendable[name]), name
    return Share(ratio, weight, resource, any(borrowed.values()))
