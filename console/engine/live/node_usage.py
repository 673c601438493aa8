"""Node usage: the amounts that running workloads use on each node to which their pods are bound."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final, TypeAlias

from console.engine.model.decision import Assignment
from console.engine.model.workload import Workload

#: (cluster, node): names of nodes are unique in their cluster.
NodeKey: TypeAlias = tuple[str, str]

_NOTHING: Final[Mapping[str, int]] = MappingProxyType({})


class NodeUsage:
    """
    The used amounts of all nodes, in thousandths by resource, without zeros.

    Pods stay counted on their node if the node is removed from the inventory.
    """

    def __init__(self) -> None:
        self._used: dict[NodeKey, dict[str, int]] = {}
        #: Nodes whose usage changed since the last call of `take_touched`.
        self._touched: dict[NodeKey, None] = {}
        #: Nodes whose rows have to be written; see `take_changes` of the state.
        self._unwritten: set[NodeKey] = set()

    def of(self, key: NodeKey) -> Mapping[str, int]:
        """Return the used amounts of one node."""
        return self._used.get(key, _NOTHING)

    def nodes(self) -> Iterable[NodeKey]:
        """Return the nodes with usage."""
        return self._used.keys()

    def charge(self, key: NodeKey, used: Mapping[str, int]) -> None:
        """Charge a node with the usage of running workloads that are not counted one by one."""
        self._add(key, used, 1)

    def count(self, workload: Workload, assignment: Assignment, sign: int) -> None:
        """Record that the pods of *assignment* started, or with a *sign* of -1, that they ended."""
        for each in assignment:
            if not (each.places or each.stopping):
                continue
            requests = next(p.requests for p in workload.pod_sets if p.name == each.name)
            for place in (*each.places, *each.stopping):
                if place.cluster is not None and place.node is not None:
                    self._add((place.cluster, place.node), requests, sign * place.count)

    def take_touched(self) -> Iterable[NodeKey]:
        """Return the nodes whose usage changed since the last call."""
        touched, self._touched = self._touched, {}
        return touched

    def take_unwritten(self) -> set[NodeKey]:
        """Return the nodes whose usage changed since the last call, for their rows."""
        unwritten, self._unwritten = self._unwritten, set()
        return unwritten

    def copy(self) -> NodeUsage:
        """Return an independent copy."""
        copy = NodeUsage()
        copy._used = {key: dict(used) for key, used in self._used.items()}
        return copy

    def _add(self, key: NodeKey, amounts: Mapping[str, int], factor: int) -> None:
        used = self._used.setdefault(key, {})
        for resource, amount in amounts.items():
            total = used.get(resource, 0) + factor * amount
            if total:
                used[resource] = total
            else:
                used.pop(resource, None)
        if not used:
            del self._used[key]
        self._touched[key] = None
        self._unwritten.add(key)
