"""Sentences about events of clusters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from console.engine.wording.words import listed, plural


def cluster_event(kind: str, data: Mapping[str, Any]) -> str:
    """
    Return the sentence about an event of a cluster, from its type and its stored data.

    >>> cluster_event("CLUSTER_REGISTERED", {"cluster": "east", "nodes": 200, "state": "ready"})
    'Cluster east was registered with 200 nodes.'
    >>> cluster_event("CLUSTER_CHANGED", {"cluster": "east", "state": "draining", "added": 2})
    'Cluster east changed: its state is draining, and 2 nodes were added.'
    >>> cluster_event("CLUSTER_SILENT", {"cluster": "east", "seconds": 60})
    'Cluster east is silent: it sent no heartbeat for 60 s, and accepts no new pods.'
    """
    cluster = f"Cluster {data['cluster']}"
    match kind:
        case "CLUSTER_REGISTERED":
            return f"{cluster} was registered with {plural(data['nodes'], 'node')}."
        case "CLUSTER_CHANGED":
            return f"{cluster} changed: {_changes(data)}."
        case "CLUSTER_SILENT":
            since = f"it sent no heartbeat for {data['seconds']} s"
            return f"{cluster} is silent: {since}, and accepts no new pods."
        case "CLUSTER_RETURNED":
            return f"{cluster} is not silent any more."
    return f"{cluster} was deleted with {plural(data['nodes'], 'node')}."


def _changes(data: Mapping[str, Any]) -> str:
    own = [
        *([f"its state is {data['state']}"] if "state" in data else []),
        *(["it has other labels"] if "labels" in data else []),
        *(["it has another manager"] if "manager" in data else []),
    ]
    nodes = [
        f"{plural(data[part], 'node')} {'was' if data[part] == 1 else 'were'} {part}"
        for part in ("added", "changed", "removed")
        if part in data
    ]
    return ", and ".join(listed(part) for part in (own, nodes) if part)
