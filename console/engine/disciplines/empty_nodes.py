"""
What nodes could hold if nothing ran on them, for disciplines that start pods on nodes.

All nodes of the inventory count, also those that accept no pods now and those of clusters that are
silent: they may return, and a workload that they could hold only waits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final, NamedTuple

from console.engine.model.amounts import SCALE
from console.engine.model.exceeded import BoundKind, Exceeded
from console.engine.model.inventory import Cluster, Node
from console.engine.model.workload import PODS, NodeConstraints, PodSet, constraints_of

#: Taints with which Kubernetes marks what passes: a node that is not ready, or is drained.
_PASSING: Final = "node.kubernetes.io/"

Amounts = Mapping[str, int]


class NodeKind(NamedTuple):
    """Nodes that offer the same: the first of them, and their number."""

    cluster: str
    node: str
    #: In the unit of the discipline; a resource that is absent is not offered.
    amounts: Amounts
    number: int


class EmptyNodes:
    """The nodes of an inventory by what they offer."""

    def __init__(
        self,
        clusters: Iterable[Cluster],
        amounts_of: Callable[[Node], Amounts],
        includes: Callable[[Node], bool] = lambda _: True,
    ) -> None:
        """*amounts_of* returns what a node offers; *includes*, whether pods may use it at all."""
        self._nodes = [
            (cluster.name, _without_passing_taints(node), amounts_of(node))
            for cluster in clusters
            for node in cluster.nodes
            if includes(node)
        ]
        self._accepting: dict[NodeConstraints, tuple[NodeKind, ...]] = {}

    def __len__(self) -> int:
        return len(self._nodes)

    def accepting(self, pod_set: PodSet) -> tuple[NodeKind, ...]:
        """Return the nodes whose name, labels and taints accept the pods of *pod_set*."""
        constraints = constraints_of(pod_set)
        found = self._accepting.get(constraints)
        if found is None:
            nodes = (each for each in self._nodes if each[1].accepts(pod_set))
            found = self._accepting[constraints] = _kinds(nodes)
        return found

    def total(self, resource: str) -> int:
        """Return what all nodes offer of *resource* together."""
        return sum(amounts.get(resource, 0) for _, _, amounts in self._nodes)

    def constraints_exceeded(self) -> Exceeded:
        """Return the fact that every node is excluded by its name, labels or taints."""
        return Exceeded(kind=BoundKind.NODE_CONSTRAINTS, requested=len(self._nodes) * SCALE)


def fits(need: Amounts, kind: NodeKind) -> bool:
    """Return whether a node of *kind* could hold one pod."""
    return all(amount <= kind.amounts.get(name, 0) for name, amount in need.items())


def pods_on(need: Amounts, kind: NodeKind, most: int) -> int:
    """Return how many pods one node of *kind* could hold, at most *most*."""
    return min(
        [most, *(kind.amounts.get(name, 0) // amount for name, amount in need.items() if amount)]
    )


def closest(
    need: Amounts, kinds: Iterable[NodeKind], scale: Callable[[str, int], int]
) -> Iterator[Exceeded]:
    """
    Yield what the node lacks that comes closest to one pod, a fact for each resource.

    *scale* converts an amount of a resource to thousandths.
    """
    nearest = min(kinds, key=lambda kind: (_missing_part(need, kind), kind.cluster, kind.node))
    for resource, amount in need.items():
        offered = nearest.amounts.get(resource, 0)
        if amount > offered:
            yield Exceeded(
                kind=BoundKind.NODE,
                name=nearest.node,
                cluster=nearest.cluster,
                resource=resource,
                requested=scale(resource, amount),
                most=scale(resource, offered),
            )


def too_many_pods(requested: int, possible: int) -> Exceeded:
    """Return the fact that only *possible* of the *requested* pods fit on all nodes together."""
    return Exceeded(
        kind=BoundKind.NODES,
        resource=PODS,
        requested=requested * SCALE,
        most=possible * SCALE,
        pods=requested,
    )


def _missing_part(need: Amounts, kind: NodeKind) -> float:
    return sum(
        (amount - kind.amounts.get(name, 0)) / amount
        for name, amount in need.items()
        if amount > kind.amounts.get(name, 0)
    )


def _kinds(nodes: Iterable[tuple[str, Node, Amounts]]) -> tuple[NodeKind, ...]:
    found: dict[tuple[tuple[str, int], ...], NodeKind] = {}
    for cluster, node, amounts in nodes:
        key = tuple(sorted(amounts.items()))
        known = found.get(key)
        found[key] = (
            NodeKind(cluster, node.name, amounts, 1)
            if known is None
            else known._replace(number=known.number + 1)
        )
    return tuple(found.values())


def _without_passing_taints(node: Node) -> Node:
    lasting = tuple(each for each in node.taints if not each.key.startswith(_PASSING))
    return node if len(lasting) == len(node.taints) else replace(node, taints=lasting)
