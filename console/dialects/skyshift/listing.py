"""Clusters with their nodes, as SkyShift prints them, converted to reports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from functools import partial
from typing import Any, Final

from console.dialects.base import ClusterListing
from console.dialects.skyshift.resources import NAMES

#: The status of a cluster -> its state in reports. In all others it takes no jobs yet, or no more.
_STATES: Final = {"READY": "ready", "ERROR": "error"}
_NO_NEW_PODS: Final = "draining"

#: Sizes are printed in mebibytes.
_SIZES: Final = ("memory", "disk")
_MEBIBYTE: Final = 2**20


def listed_clusters(documents: Sequence[Any]) -> Mapping[str, ClusterListing]:
    """
    Return the reports of the Cluster objects and lists of them in *documents*, by name.

    Empty if there are none with a status: those of a config say nothing about nodes. Values of a
    wrong type are left for the reader of reports, which names their place.
    """
    return {str(_names(each).get("name")): _listing(each) for each in _objects(documents)}


def _objects(documents: Sequence[Any]) -> Iterator[dict[str, Any]]:
    for document in documents:
        if not isinstance(document, dict):
            continue
        objects = document.get("objects")
        if str(document.get("kind")).endswith("List") and isinstance(objects, list):
            yield from _objects(objects)
        elif document.get("kind") == "Cluster" and _capacity(document) is not None:
            yield document


def _names(document: Mapping[str, Any]) -> Mapping[str, Any]:
    metadata = document.get("metadata")
    return metadata if isinstance(metadata, dict) else {}


def _capacity(document: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]] | None:
    """Return the amounts of each node with the field that has them: in total, or else free."""
    status = document.get("status")
    fields = ("capacity", "allocatable_capacity")
    amounts = [(each, status.get(each)) for each in fields] if isinstance(status, dict) else []
    present = [(name, nodes) for name, nodes in amounts if isinstance(nodes, dict)]
    return next((each for each in present if each[1]), present[0] if present else None)


def _listing(document: Mapping[str, Any]) -> ClusterListing:
    found = _capacity(document)
    assert found is not None
    field, nodes = found
    spec = document.get("spec")
    manager = spec.get("manager") if isinstance(spec, dict) else None
    report = {
        "labels": _names(document).get("labels") or {},
        "state": _STATES.get(str(document["status"].get("status")).upper(), _NO_NEW_PODS),
        "nodes": [
            {"name": name, "allocatable": _allocatable(amounts)} for name, amounts in nodes.items()
        ],
    }
    if isinstance(manager, str):
        report["manager"] = manager
    return ClusterListing(report=report, place=partial(_place, field, list(nodes)))


def _allocatable(amounts: Any) -> Any:
    if not isinstance(amounts, dict):
        return amounts
    return {
        NAMES.get(resource, resource): _in_bytes(amount) if resource in _SIZES else amount
        for resource, amount in amounts.items()
    }


def _in_bytes(amount: Any) -> Any:
    is_number = isinstance(amount, int | Decimal) and not isinstance(amount, bool)
    return int(amount * _MEBIBYTE) if is_number else amount


def _place(field: str, nodes: Sequence[str], path: str) -> str:
    """
    Return the place in the object of a *path* in the report.

    >>> _place("capacity", ["n1"], "nodes[0].allocatable.cpu"), _place("capacity", [], "labels.a")
    ('status.capacity.n1.cpus', 'metadata.labels.a')
    """
    first, _, rest = path.partition(".")
    if first == "labels":
        return f"metadata.{path}"
    if not first.startswith("nodes["):
        return {"state": "status.status", "manager": "spec.manager"}.get(first, path)
    node = nodes[int(first[len("nodes[") : -1])]
    resource = rest.removeprefix("allocatable").removeprefix(".")
    printed = {name: theirs for theirs, name in NAMES.items()}.get(resource, resource)
    place = f"status.{field}.{node}"
    return f"{place}.{printed}" if rest.startswith("allocatable.") else place
