"""Response bodies of clusters and nodes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from console.api.answers.times import time_answer
from console.capacity.models import Cluster, Node
from console.capacity.services.report_cluster import ReportResult
from console.engine.model.amounts import amount_to_number


def cluster_answer(cluster: Cluster, nodes: Iterable[Node] | None = None) -> dict[str, Any]:
    """Return a cluster with the sums over its nodes, and with *nodes* if they are given."""
    answer = {
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
    }
    return answer if nodes is None else {**answer, "nodes": [node_answer(each) for each in nodes]}


def node_answer(node: Node) -> dict[str, Any]:
    """Return one node in the form of a report."""
    return {
        "name": node.name,
        "labels": dict(sorted(node.labels.items())),
        "taints": node.taints,
        "allocatable": _amounts(node.allocatable),
        "ready": node.is_ready,
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


def _amounts(amounts: dict[str, int]) -> dict[str, int | float | None]:
    return {resource: amount_to_number(amount) for resource, amount in sorted(amounts.items())}
