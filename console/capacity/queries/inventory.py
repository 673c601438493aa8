"""The clusters and nodes of an organization as the engine's inventory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Any, Final, TypeVar

from django.db.models import Q

from console.capacity.models import SILENT, Cluster, ClusterState, Node
from console.chunks import chunks
from console.engine.model import inventory as engine
from console.engine.model.nodes import Taint, TaintEffect

T = TypeVar("T")

#: Columns of a node that the engine needs.
_NODE: Final = ("cluster_id", "name", "labels", "taints", "allocatable", "taken", "is_ready")


def load_inventory(org_id: int) -> engine.Inventory:
    """Return the inventory of an organization; empty without clusters, after one query."""
    return refresh_inventory(org_id, engine.Inventory())


def load_clusters(org_id: int) -> engine.Inventory:
    """Return the clusters of an organization without their nodes, after one query."""
    rows = Cluster.objects.filter(org_id=org_id).order_by("pk")
    return engine.Inventory(clusters={row.name: _cluster(row, ()) for row in rows})


def refresh_inventory(org_id: int, known: engine.Inventory) -> engine.Inventory:
    """
    Return the present inventory of the organization whose inventory was *known*.

    Only clusters and nodes that have changed are read; the others are shared with *known*, which is
    returned itself if nothing has changed. Writers may continue in between: a cluster may get nodes
    of a later version, which its next refresh reads again.
    """
    rows = list(Cluster.objects.filter(org_id=org_id).order_by("pk"))
    stale = {row.pk: row for row in rows if not _is_known(row, known.clusters.get(row.name))}
    if not stale and len(rows) == len(known.clusters):
        return known
    nodes = _nodes(stale, known.clusters)
    clusters = {
        row.name: _cluster(row, nodes[row.pk]) if row.pk in stale else known.clusters[row.name]
        for row in rows
    }
    return engine.Inventory(clusters=clusters)


def _is_known(row: Cluster, cluster: engine.Cluster | None) -> bool:
    return cluster is not None and (cluster.sequence, cluster.version) == (row.pk, row.version)


def _cluster(row: Cluster, nodes: Sequence[engine.Node]) -> engine.Cluster:
    is_ready = row.status == ClusterState.READY
    return engine.Cluster(
        name=row.name,
        labels=_sorted(row.labels),
        nodes=tuple(nodes),
        is_ready=is_ready,
        status="" if is_ready else row.status,
        has_failed=row.status in (SILENT, ClusterState.ERROR),
        sequence=row.pk,
        version=row.version,
    )


def _nodes(
    stale: Mapping[int, Cluster], known: Mapping[str, engine.Cluster]
) -> dict[int, list[engine.Node]]:
    """Return the nodes of the *stale* clusters, in order; unchanged ones are those of *known*."""
    found: dict[int, list[engine.Node]] = {key: [] for key in stale}
    for keys in chunks(stale):
        before = {
            key: cluster
            for key in keys
            if (cluster := known.get(stale[key].name)) is not None and cluster.sequence == key
        }
        unchanged = {key: {node.name: node for node in each.nodes} for key, each in before.items()}
        changed = _changed_nodes(keys, before)
        rows = Node.objects.filter(cluster__in=keys).order_by("cluster_id", "position")
        for key, name in rows.values_list("cluster_id", "name"):
            node = changed[key].get(name) or unchanged.get(key, {}).get(name)
            # None if the node was added between the two queries.
            if node is not None:
                found[key].append(node)
    return found


def _changed_nodes(
    keys: Iterable[int], before: Mapping[int, engine.Cluster]
) -> defaultdict[int, dict[str, engine.Node]]:
    """Return the nodes that changed since *before*, by cluster and name."""
    later = reduce(
        or_,
        (
            Q(cluster=key, version__gt=before[key].version) if key in before else Q(cluster=key)
            for key in keys
        ),
    )
    found: defaultdict[int, dict[str, engine.Node]] = defaultdict(dict)
    for cluster, *columns in Node.objects.filter(later).values_list(*_NODE):
        node = _node(*columns)
        found[cluster][node.name] = node
    return found


def _node(
    name: str,
    labels: dict[str, str],
    taints: list[dict[str, Any]],
    allocatable: dict[str, int],
    taken: dict[str, int] | None,
    is_ready: bool,
) -> engine.Node:
    # For the engine, a node offers what other schedulers leave.
    offered = {
        resource: left
        for resource, amount in allocatable.items()
        if (left := amount - (taken or {}).get(resource, 0)) > 0
    }
    return engine.Node(
        name=name,
        labels=_sorted(labels),
        taints=tuple(
            Taint(each["key"], each["value"], TaintEffect(each["effect"])) for each in taints
        ),
        offered=_sorted(offered),
        is_ready=is_ready,
    )


def _sorted(entries: dict[str, T]) -> dict[str, T]:
    """Return *entries* by key: databases return them in different orders."""
    return dict(sorted(entries.items()))
