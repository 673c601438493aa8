"""The JSON Schema with the labels and names of the clusters that report, for completion."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from console.dialects.skyshift.json_schema import json_schema
from console.engine.model.inventory import Inventory

#: Maximum number of labels, of values of one label, and of clusters that are suggested.
_KEYS: Final = 100
_VALUES: Final = 50
_CLUSTERS: Final = 100


def live_schema(inventory: Inventory) -> dict[str, Any]:
    """Return the schema with suggestions; it accepts the same objects as the one without."""
    if not inventory.clusters:
        return json_schema()
    names = list(inventory.clusters)[:_CLUSTERS]
    labels = _labels(inventory)
    schema = json_schema()
    schema["allOf"] = [
        _of("Cluster", {"metadata": _fields(name=_words(names), labels=_by_key(labels))}),
        _of(
            "PlacementTemplate",
            {
                "spec": _fields(
                    filters={"items": _criterion(labels)}, preferences={"items": _criterion(labels)}
                )
            },
        ),
        _of(
            "FilterPolicy",
            {
                "spec": _fields(
                    cluster_filter=_fields(
                        include={"items": _words(names)}, exclude={"items": _words(names)}
                    )
                )
            },
        ),
        # Suggestions come first: of several examples, the first ones are offered.
        *schema["allOf"],
    ]
    return schema


def _labels(inventory: Inventory) -> dict[str, list[str]]:
    """Return the values of each label, both in the order in which clusters have them."""
    found: dict[str, dict[str, None]] = {}
    for cluster in inventory.clusters.values():
        for key, value in cluster.labels.items():
            if key in found or len(found) < _KEYS:
                found.setdefault(key, {})[value] = None
    return {key: list(values)[:_VALUES] for key, values in found.items()}


def _criterion(labels: Mapping[str, list[str]]) -> dict[str, Any]:
    expression = _fields(key=_words(labels)) | {
        "allOf": [
            {
                "if": {"properties": {"key": {"const": key}}, "required": ["key"]},
                "then": _fields(values={"items": _words(values)}),
            }
            for key, values in labels.items()
        ]
    }
    return _fields(match_labels=_by_key(labels), match_expressions={"items": expression})


def _by_key(labels: Mapping[str, list[str]]) -> dict[str, Any]:
    return {
        "properties": {
            key: _words(values) | {"type": "string", "description": "A label of clusters."}
            for key, values in labels.items()
        }
    }


def _words(words: Iterable[str]) -> dict[str, Any]:
    return {"examples": list(words)}


def _fields(**properties: dict[str, Any]) -> dict[str, Any]:
    return {"properties": properties}


def _of(kind: str, properties: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of some fields of the objects of one kind."""
    return {"if": {"properties": {"kind": {"const": kind}}}, "then": {"properties": properties}}
