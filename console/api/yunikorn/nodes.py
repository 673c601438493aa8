"""Nodes of a partition with what runs on them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from console.api.yunikorn.allocations import NodeNames, allocation, pod_groups
from console.api.yunikorn.base import SchedulerView
from console.api.yunikorn.errors import Missing
from console.api.yunikorn.paging import PARAMETERS, incomplete, page_answer, read_part
from console.api.yunikorn.partition_state import OrganizationState, PartitionNode
from console.api.yunikorn.shapes import percentages, present
from console.capacity.queries.nodes import taken_of
from console.engine.disciplines.hierarchy.requests import in_queue_units
from console.engine.disciplines.hierarchy.resources import minus, plus
from console.engine.live.node_usage import NodeKey
from console.workloads.models import Workload
from console.workloads.queries.node_usage import node_usage_of
from console.workloads.queries.placed import newest_running


class Nodes(SchedulerView):
    """The nodes of a partition."""

    parameters = PARAMETERS

    def get(self, request: Request, partition: str) -> Response:
        """List the nodes, in the order in which clusters and nodes were reported."""
        state = OrganizationState(self.actor.org, self.spec)
        nodes = state.nodes(self.partition(partition).name)
        part, cursor = read_part(self, request, len(nodes))
        rows, is_whole = _answers(self, state, nodes[part])
        return incomplete(page_answer(request, rows, cursor), is_whole=is_whole)


class OneNode(SchedulerView):
    """One node of a partition."""

    def get(self, request: Request, partition: str, node: str) -> Response:
        """Return the node; raises Missing."""
        state = OrganizationState(self.actor.org, self.spec)
        names = NodeNames(state.inventory.clusters.values())
        for each in state.nodes(self.partition(partition).name):
            if names.id_of(_key(each)) == node:
                [row], is_whole = _answers(self, state, [each])
                return incomplete(Response(row), is_whole=is_whole)
        raise Missing("Node not found", f"There is no node {node!r} in the partition {partition}.")


def _key(each: PartitionNode) -> NodeKey:
    return each.cluster.name, each.node.name


def _answers(
    view: SchedulerView, state: OrganizationState, nodes: Sequence[PartitionNode]
) -> tuple[list[dict[str, Any]], bool]:
    """Return some nodes with the pods on them, and whether all running workloads were read."""
    org = view.actor.org
    keys = {_key(each) for each in nodes}
    clusters = {cluster for cluster, _ in keys}
    used = node_usage_of(org, clusters) if clusters else {}
    taken = taken_of(org, keys)
    names = NodeNames(state.inventory.clusters.values())
    workloads, is_whole = newest_running(org) if used else ([], True)
    pods = _allocations(workloads, keys, names)
    rows = [
        _answer(each, used.get(_key(each), {}), taken.get(_key(each), {}), names, pods)
        for each in nodes
    ]
    return rows, is_whole


def _allocations(
    workloads: Iterable[Workload], keys: set[NodeKey], names: NodeNames
) -> Mapping[NodeKey, list[dict[str, Any]]]:
    found: defaultdict[NodeKey, list[dict[str, Any]]] = defaultdict(list)
    for workload in workloads:
        for group in pod_groups(workload):
            if group.node in keys:
                found[group.node].append(allocation(workload, group, names, workload.uid))
    return found


def _answer(
    each: PartitionNode,
    used: Mapping[str, int],
    taken: Mapping[str, int],
    names: NodeNames,
    pods: Mapping[NodeKey, list[dict[str, Any]]],
) -> dict[str, Any]:
    free, occupied = in_queue_units(each.node.offered), in_queue_units(taken)
    allocated = in_queue_units(used)
    capacity = plus(free, occupied)
    return {
        "nodeID": names.id_of(_key(each)),
        "schedulable": each.cluster.is_ready and each.node.is_ready,
        "isReserved": False,
        **present(
            hostName=each.node.name,
            rackName=f"/{each.cluster.name}",
            attributes={**each.node.labels, "ready": str(each.node.is_ready).lower()},
            capacity=capacity,
            occupied=occupied,
            allocated=allocated,
            available=minus(free, allocated),
            utilized=percentages(capacity, allocated),
            allocations=pods.get(_key(each)),
        ),
    }
