"""
The clusters that a config declares or that report, indexed by their labels.

A set of clusters is an integer with one bit for each, so that thousands of conditions on thousands
of clusters take no longer than a check of the text.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from console.engine.disciplines.placement.spec import (
    Criterion,
    Expression,
    Operator,
    PlacementSpec,
)
from console.engine.model.inventory import Inventory


class KnownClusters:
    """Labels of all known clusters; declared labels override reported ones key by key."""

    def __init__(self, spec: PlacementSpec, inventory: Inventory) -> None:
        names = [
            *spec.clusters,
            *(each for each in inventory.clusters if each not in spec.clusters),
        ]
        #: All clusters.
        self.everyone = (1 << len(names)) - 1
        self._holders: defaultdict[str, defaultdict[str, int]] = defaultdict(
            lambda: defaultdict(int)
        )
        for number, name in enumerate(names):
            reported = inventory.clusters.get(name)
            labels = spec.labels_of(name, reported.labels if reported is not None else {})
            for key, value in labels.items():
                self._holders[key][value] |= 1 << number
        #: The values of each label, in the order in which they were found.
        self.values = {key: tuple(values) for key, values in self._holders.items()}

    def matching(self, criterion: Criterion) -> int:
        """Return the clusters that satisfy *criterion*."""
        found = self.everyone
        for key, value in criterion.labels.items():
            found &= self._having(key, (value,))
        for expression in criterion.expressions:
            found &= self.holding(expression)
        return found

    def holding(self, expression: Expression) -> int:
        """Return the clusters for which *expression* holds."""
        having = self._having(expression.key, expression.values)
        return having if expression.operator is Operator.IN else self.everyone & ~having

    def _having(self, key: str, values: tuple[str, ...]) -> int:
        holders: Mapping[str, int] = self._holders.get(key, {})
        found = 0
        for value in values:
            found |= holders.get(value, 0)
        return found
