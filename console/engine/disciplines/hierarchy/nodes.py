"""The nodes of a partition in the order in which they are tried."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Mapping

from console.engine.disciplines.hierarchy.applications import Allocation, NodeUsage
from console.engine.disciplines.hierarchy.resources import (
    NOTHING,
    Resources,
    minus,
    plus,
)
from console.engine.disciplines.hierarchy.spec import NodeOrder


class Nodes:
    """All nodes of a partition, sorted as its policy tries them."""

    def __init__(self, order: NodeOrder, weights: Mapping[str, float]) -> None:
        self._order, self._weights = order, weights
        self._nodes: dict[str, NodeUsage] = {}
        self._sorted: list[tuple[float, str]] = []
        self._scores: dict[str, float] = {}
        #: What all of them offer.
        self.total: Resources = NOTHING

    def __iter__(self) -> Iterator[NodeUsage]:
        return (self._nodes[name] for _, name in self._sorted)

    def __len__(self) -> int:
        return len(self._nodes)

    def get(self, name: str) -> NodeUsage | None:
        """Return a node by name."""
        return self._nodes.get(name)

    def add(self, node: NodeUsage) -> None:
        """Add a node without pods."""
        self._nodes[node.name] = node
        score = self._scores[node.name] = self._score(node)
        insort(self._sorted, (score, node.name))
        if node.accepts:
            self.total = plus(self.total, node.capacity)

    def replace(self, nodes: Iterable[NodeUsage]) -> None:
        """Use other nodes, without pods, from now on."""
        self._nodes.clear()
        self._sorted.clear()
        self._scores.clear()
        self.total = {}
        for node in nodes:
            self.add(node)

    def sort_by(self, order: NodeOrder, weights: Mapping[str, float]) -> None:
        """Use another order from now on."""
        self._order, self._weights = order, weights
        self._scores = {node.name: self._score(node) for node in self._nodes.values()}
        self._sorted = sorted((score, name) for name, score in self._scores.items())

    def start(self, allocation: Allocation) -> None:
        """Charge the node of a pod."""
        node = allocation.node
        node.allocations[allocation.app.id, allocation.key] = allocation
        self._change(node, plus(node.allocated, allocation.resources))

    def release(self, allocation: Allocation) -> None:
        """Count a pod as one that has to stop."""
        allocation.is_released = True
        allocation.node.releasing = plus(allocation.node.releasing, allocation.resources)

    def stop(self, allocation: Allocation) -> None:
        """Free what a pod uses."""
        node = allocation.node
        del node.allocations[allocation.app.id, allocation.key]
        if allocation.is_released:
            node.releasing = minus(node.releasing, allocation.resources)
        self._change(node, minus(node.allocated, allocation.resources))

    def _change(self, node: NodeUsage, allocated: Resources) -> None:
        node.allocated = allocated
        node.available = minus(node.capacity, allocated)
        before = self._scores[node.name]
        score = self._score(node)
        if score != before:
            del self._sorted[bisect_left(self._sorted, (before, node.name))]
            self._scores[node.name] = score
            insort(self._sorted, (score, node.name))

    def _score(self, node: NodeUsage) -> float:
        usage = node.usage(self._weights)
        return usage if self._order is NodeOrder.FAIR else 1 - usage
