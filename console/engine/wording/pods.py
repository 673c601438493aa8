"""Sentences of events about single pods of a running workload."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from console.engine.model.reasons import reason_of
from console.engine.wording.words import cut, plural


def pod_event(kind: str, data: Mapping[str, Any]) -> str:
    """
    Return the sentence about an event whose type begins with ``PODS_``.

    >>> pod_event("PODS_FINISHED", {"name": "train", "pod_set": "main", "count": 2})
    '2 pods of train finished.'
    >>> moved = {"pod_set": "main", "count": 3, "cluster": "west", "node": "n1"}
    >>> lost = {"pod_set": "main", "count": 3, "cluster": "east", "node": "n7"}
    >>> pod_event("PODS_RESIZED", {"name": "train", "granted": [moved], "taken": [lost]})
    'train gets 3 pods on west, and has to stop 3 pods on east.'
    """
    name = data.get("name", "A workload")
    if kind == "PODS_RESIZED":
        return _resized(name, data)
    verb = "finished" if kind == "PODS_FINISHED" else "stopped and were released"
    if kind != "PODS_FINISHED" and data["count"] == 1:
        verb = "stopped and was released"
    place = _place(data)
    return f"{plural(data['count'], 'pod')} of {name}{f' on {place}' if place else ''} {verb}."


def _resized(name: str, data: Mapping[str, Any]) -> str:
    granted, taken = data.get("granted", ()), data.get("taken", ())
    parts = []
    if granted:
        parts.append(f"gets {_counted(granted)}")
    if taken:
        parts.append(f"has to stop {_counted(taken)}")
    if parts:
        return f"{name} {', and '.join(parts)}."
    return reason_of(data["reason"]).pods_event.format(name=name)


def _counted(pods: Iterable[Mapping[str, Any]]) -> str:
    counts: dict[str, int] = {}
    for each in pods:
        place = each.get("cluster") or _place(each)
        counts[place] = counts.get(place, 0) + each["count"]
    return cut(
        [f"{plural(n, 'pod')}{f' on {place}' if place else ''}" for place, n in counts.items()]
    )


def _place(data: Mapping[str, Any]) -> str:
    cluster, node = data.get("cluster"), data.get("node")
    if node and cluster:
        return f"node {node} of {cluster}"
    return cluster or (f"node {node}" if node else "")
