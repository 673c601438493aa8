"""Rows of clusters and nodes, for pages and exports."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from console.capacity.models import SILENT, Cluster, ClusterState, Node
from console.engine.model.amounts import amount_to_number
from console.exports import Row
from console.paging import Page, every_row
from console.time_formats import to_iso
from console.workloads.queries.node_usage import free_of

#: Columns of the files of clusters and of nodes.
CLUSTERS: Final = (
    *("cluster", "manager", "status", "labels", "nodes", "ready_nodes"),
    *("offered", "taken", "last_seen"),
)
NODES: Final = ("cluster", "node", "ready", "labels", "taints", "allocatable", "taken")

#: Status -> glyph and title.
_STATUSES: Final[Mapping[str, tuple[str, str]]] = {
    ClusterState.READY: ("accepting", "Ready"),
    ClusterState.DRAINING: ("draining", "Draining"),
    ClusterState.ERROR: ("error", "Error"),
    SILENT: ("warning", "Silent"),
}

#: Maximum number of labels of a node that are shown at once.
_LABELS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterRow:
    """One cluster; *state* is a glyph, and *title* describes the status."""

    cluster: Cluster
    state: str
    title: str
    #: The effective labels, and those of them that the config declares.
    labels: tuple[str, ...]
    declared: frozenset[str]
    #: {resource: thousandths}, sorted.
    offered: Mapping[str, int]
    taken: Mapping[str, int]
    used: Mapping[str, int]
    free: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeRow:
    """One node of a cluster, with its first labels and the others."""

    node: Node
    labels: tuple[str, ...]
    more_labels: tuple[str, ...]
    taints: tuple[str, ...]
    offered: Mapping[str, int]
    taken: Mapping[str, int]
    used: Mapping[str, int]
    free: Mapping[str, int]


def cluster_row(
    cluster: Cluster, used: Mapping[str, int], declared: Mapping[str, str]
) -> ClusterRow:
    """
    Return the row of *cluster*, whose nodes are *used* by these amounts together.

    *declared* are its labels in the config, which override reported ones.
    """
    state, title = _STATUSES[cluster.status]
    return ClusterRow(
        cluster=cluster,
        state=state,
        title=title,
        labels=_labels({**cluster.labels, **declared}),
        declared=frozenset(_labels(declared)),
        offered=_sorted(cluster.offered),
        taken=_sorted(cluster.taken or {}),
        used=_sorted(used),
        free=_sorted(free_of(cluster.offered, used, cluster.taken)),
    )


def node_row(node: Node, used: Mapping[str, int]) -> NodeRow:
    """Return the row of *node*, of which these amounts are *used*."""
    labels = _labels(node.labels)
    return NodeRow(
        node=node,
        labels=labels[:_LABELS],
        more_labels=labels[_LABELS:],
        taints=tuple(map(_taint, node.taints)),
        offered=_sorted(node.allocatable),
        taken=_sorted(node.taken or {}),
        used=_sorted(used),
        free=_sorted(free_of(node.allocatable, used, node.taken)),
    )


def clusters_file(page_at: Callable[[str | None], Page[Cluster]]) -> Iterator[Row]:
    """Yield a row for each cluster; *page_at* returns the page at a cursor."""
    for cluster in every_row(page_at):
        yield {
            "cluster": cluster.name,
            "manager": cluster.manager,
            "status": cluster.status,
            "labels": dict(sorted(cluster.labels.items())),
            "nodes": cluster.node_count,
            "ready_nodes": cluster.ready_nodes,
            "offered": _numbers(cluster.offered),
            "taken": _numbers(cluster.taken or {}),
            "last_seen": to_iso(cluster.last_seen),
        }


def nodes_file(cluster: Cluster, page_at: Callable[[str | None], Page[Node]]) -> Iterator[Row]:
    """Yield a row for each node of *cluster*; *page_at* returns the page at a cursor."""
    for node in every_row(page_at):
        yield {
            "cluster": cluster.name,
            "node": node.name,
            "ready": node.is_ready,
            "labels": dict(sorted(node.labels.items())),
            "taints": node.taints,
            "allocatable": _numbers(node.allocatable),
            "taken": _numbers(node.taken or {}),
        }


def _labels(labels: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(f"{key}={value}" for key, value in sorted(labels.items()))


def _taint(taint: Mapping[str, str]) -> str:
    """
    Return a taint as kubectl writes it.

    >>> _taint({"key": "gpu", "value": "", "effect": "NoSchedule"})
    'gpu:NoSchedule'
    """
    value = f"={taint['value']}" if taint["value"] else ""
    return f"{taint['key']}{value}:{taint['effect']}"


def _sorted(amounts: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(amounts.items()))


def _numbers(amounts: Mapping[str, int]) -> dict[str, int | float | None]:
    return {resource: amount_to_number(amount) for resource, amount in _sorted(amounts).items()}
