"""Response bodies of clusters and nodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from console.api.answers.times import time_answer
from console.capacity.models import Cluster, Node
from console.capacity.services.report_cluster import ReportResult
from console.engine.live.node_usage import NodeKey
from console.engine.model.amounts import amount_to_number
from console.workloads.queries.node_usage import free_of, usage_by_cluster


def cluster_with_usage(
    cluster: Cluster, nodes: Iterable[Node] | None, usage: Mapping[NodeKey, Mapping[str, int]]
) -> dict[str, Any]:
    """
    Return a cluster with used and free amounts, and with *nodes* if they are given.

    *usage* has the nodes of this cluster, and maybe of others.
    """
    used = usage_by_cluster(usage).get(cluster.name, {})
    answer = {
        **cluster_answer(cluster),
        "used": _amounts(used),
        "free": _amounts(free_of(cluster.offered, used, cluster.taken)),
    }
    if nodes is None:
        return answer
    listed = list(nodes)
    known = {each.name for each in listed}
    missing = {
        node: used
        for (name, node), used in usage.items()
        if name == cluster.name and node not in known
    }
    return {
        **answer,
        "nodes": [node_answer(each, usage.get((cluster.name, each.name), {})) for each in listed],
        "missing_nodes": [
            {"name": name, "used": _amounts(amounts)} for name, amounts in sorted(missing.items())
        ],
    }


def cluster_answer(cluster: Cluster) -> dict[str, Any]:
    """Return a cluster with the sums over its nodes."""
    return {
        "name": cluster.name,
        "manager": cluster.manager,
        "labels": dict(sorted(cluster.labels.items())),
        "state": cluster.state,
        "status": cluster.status,
        "sends_heartbeats": cluster.sends_heartbeats,
        "last_seen": time_answer(cluster.last_seen),
        "version": cluster.version,
        "node_count": cluster.node_count,
        "ready_nodes": cluster.ready_nodes,
        "offered": _amounts(cluster.offered),
        "taken": _amounts(cluster.taken or {}),
    }


def node_answer(node: Node, used: Mapping[str, int]) -> dict[str, Any]:
    """Return one node in the form of a report, with its *used* and free amounts."""
    return {
        "name": node.name,
        "labels": dict(sorted(node.labels.items())),
        "taints": node.taints,
        "allocatable": _amounts(node.allocatable),
        "taken": _amounts(node.taken or {}),
        "ready": node.is_ready,
        "used": _amounts(used),
        "free": _amounts(free_of(node.allocatable, used, node.taken)),
    }


def report_answer(result: ReportResult) -> dict[str, Any]:
    """Return the stored cluster, and the differences that a report made."""
    return {
        **cluster_answer(result.cluster),
        "changes": {
            "is_new": result.is_new,
            "added": result.added,
            "changed": result.changed,
            "removed": result.removed,
            "fields": list(result.fields),
        },
    }


def _amounts(amounts: Mapping[str, int]) -> dict[str, int | float | None]:
    return {resource: amount_to_number(amount) for resource, amount in sorted(amounts.items())}
