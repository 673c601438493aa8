"""How many nodes of each partition are used to which tenth, by resource."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from rest_framework.request import Request
from rest_framework.response import Response

from console.api.yunikorn.allocations import NodeNames
from console.api.yunikorn.base import SchedulerView
from console.api.yunikorn.partition_state import OrganizationState, PartitionNode
from console.api.yunikorn.shapes import percentages, present
from console.engine.disciplines.hierarchy.requests import in_queue_units
from console.engine.live.node_usage import NodeKey
from console.workloads.queries.node_usage import node_usage_of

_TENTHS: Final = 10


class NodeUtilizations(SchedulerView):
    """The nodes of all partitions by their use."""

    def get(self, request: Request) -> Response:
        """List the partitions in the order of the config."""
        org = self.actor.org
        state = OrganizationState(org, self.spec)
        used = node_usage_of(org)
        names = NodeNames(state.inventory.clusters.values())
        return Response(
            [
                {
                    "clusterId": org.slug,
                    "partition": name,
                    **present(utilizations=_resources(state.nodes(name), used, names)),
                }
                for name in self.spec.partitions
            ]
        )


def _resources(
    nodes: Sequence[PartitionNode], used: Mapping[NodeKey, Mapping[str, int]], names: NodeNames
) -> list[dict[str, Any]]:
    """Return the nodes that have each resource, in tenths of its use."""
    found: dict[str, list[list[str]]] = {}
    for each in nodes:
        key = each.cluster.name, each.node.name
        capacity = in_queue_units(each.node.offered)
        shares = percentages(capacity, in_queue_units(used.get(key, {})))
        for resource in capacity:
            tenths = found.setdefault(resource, [[] for _ in range(_TENTHS)])
            tenths[_tenth(shares.get(resource, 0))].append(names.id_of(key))
    return [
        {"type": resource, "utilization": [_bucket(*each) for each in enumerate(tenths)]}
        for resource, tenths in sorted(found.items())
    ]


def _tenth(percentage: int) -> int:
    """
    Return the index of the tenth that a percentage is in; a full tenth belongs to the lower one.

    >>> [_tenth(each) for each in (0, 1, 10, 11, 100, 120)]
    [0, 0, 0, 1, 9, 9]
    """
    return min(_TENTHS - 1, max(0, -(-percentage // _TENTHS) - 1))


def _bucket(index: int, nodes: list[str]) -> dict[str, Any]:
    return {
        "bucketName": f"{index * _TENTHS}-{(index + 1) * _TENTHS}%",
        **present(numOfNodes=len(nodes), nodeNames=nodes),
    }
