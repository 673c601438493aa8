"""Listings of `kubectl get nodes -o json` or `-o yaml`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

_FIELDS: Final = {
    "name": "metadata.name",
    "labels": "metadata.labels",
    "taints": "spec.taints",
    "allocatable": "status.allocatable",
}
_PATH: Final = re.compile(r"nodes(\[\d+\])\.?([a-z]*)")


def recognizes(documents: Sequence[Any]) -> bool:
    """Return whether *documents* are nodes of Kubernetes, or lists of them."""
    items = _items(documents)
    return bool(documents) and all(
        isinstance(each, dict) and str(each.get("kind", "")) in ("Node", "NodeList", "List")
        for each in (*documents, *items)
    )


def report_of(documents: Sequence[Any]) -> dict[str, Any]:
    """
    Return the nodes as a report.

    A node is ready if its condition Ready is true and it is not cordoned.
    """
    return {"manager": "kubernetes", "nodes": [_node(each) for each in _items(documents)]}


def place_of(path: str) -> str:
    """
    Return the place in the listing of a *path* in the report.

    >>> place_of("nodes[3].allocatable.cpu"), place_of("nodes")
    ('items[3].status.allocatable.cpu', 'items')
    """
    found = _PATH.match(path)
    if found is None:
        return path.replace("nodes", "items", 1)
    place, field = found.groups()
    rest = path[found.end() :]
    return f"items{place}.{_FIELDS.get(field, field)}{rest}".rstrip(".")


def _items(documents: Sequence[Any]) -> list[Any]:
    found: list[Any] = []
    for document in documents:
        items = document.get("items") if isinstance(document, dict) else None
        found += items if isinstance(items, list) else [document]
    return found


def _node(item: dict[str, Any]) -> dict[str, Any]:
    metadata, spec, status = (_part(item, name) for name in ("metadata", "spec", "status"))
    taints = spec.get("taints") or []
    return {
        "name": metadata.get("name"),
        "labels": metadata.get("labels") or {},
        "taints": [_taint(each) for each in taints] if isinstance(taints, list) else taints,
        "allocatable": status.get("allocatable") or {},
        "ready": not spec.get("unschedulable") and _is_ready(status.get("conditions")),
    }


def _part(item: dict[str, Any], name: str) -> dict[str, Any]:
    part = item.get(name)
    return part if isinstance(part, dict) else {}


def _taint(taint: Any) -> Any:
    """Return *taint* without the time at which it was added."""
    if not isinstance(taint, dict):
        return taint
    return {name: value for name, value in taint.items() if name != "timeAdded"}


def _is_ready(conditions: Any) -> bool:
    return isinstance(conditions, list) and any(
        isinstance(each, dict) and each.get("type") == "Ready" and each.get("status") == "True"
        for each in conditions
    )
