"""The JSON Schema of one object, for completion and help in editors."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Any, Final

from console.dialects.fields import MAX_TEXT
from console.dialects.skyshift.manifests import KINDS, SERVER_FILLED
from console.dialects.skyshift.parse import UNUSED_OF_CLUSTER
from console.engine.disciplines.placement.plugin_host import HOST
from console.engine.disciplines.placement.read_placement import LONGEST_NAME, NAME
from console.engine.disciplines.placement.spec import (
    DEFAULT_PLUGIN,
    MAX_WEIGHT,
    MIN_WEIGHT,
    GpuRule,
    OnUnplaceable,
    Operator,
    Rank,
    Reserve,
)

_ANYTHING: Final[dict[str, Any]] = {}
_TEXT: Final[dict[str, Any]] = {"type": "string", "maxLength": MAX_TEXT}
_NAME: Final[dict[str, Any]] = {
    "type": "string",
    "pattern": f"^{NAME}$",
    "maxLength": LONGEST_NAME,
}
_CLUSTER_NAME: Final[dict[str, Any]] = _TEXT | {"pattern": r"\S"}
#: Labels that SkyShift's documentation uses; others are as good.
_USUAL_LABELS: Final = ("purpose", "location", "sky-cluster-name")
#: Kind -> its name in the console.
_WORDS: Final = {
    "Cluster": "cluster",
    "PlacementTemplate": "placement template",
    "FilterPolicy": "filter policy",
}


def json_schema() -> dict[str, Any]:
    """
    Return the schema; it does not include rules between fields.

    Editors find the objects by ``x-item`` and references by ``x-refers-to``.
    """
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "SkyShift object",
        "type": ["object", "null"],
        "required": ["kind"],
        "properties": {
            "kind": {
                "type": "string",
                "description": "The kind of the object.",
                "examples": list(KINDS),
            },
        },
        "allOf": [
            _kind("Cluster", _cluster()),
            _kind("Scheduler", _scheduler()),
            _kind("PlacementTemplate", _template()),
            _kind("FilterPolicy", _filter_policy()),
        ],
    }


def _kind(kind: str, spec: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of the objects of one kind."""
    is_named = kind in _WORDS
    then: dict[str, Any] = {
        "additionalProperties": False,
        "required": ["metadata"] if is_named else [],
        "properties": {
            "kind": _ANYTHING,
            "metadata": _metadata(kind, is_named=is_named),
            "spec": spec,
            "status": {"description": "Set by the server; not read."},
        },
    }
    if is_named:
        then["x-item"] = {"kind": _WORDS[kind], "name": ["metadata", "name"]}
    return {"if": {"properties": {"kind": {"const": kind}}}, "then": then}


def _metadata(kind: str, *, is_named: bool) -> dict[str, Any]:
    name = _CLUSTER_NAME if kind == "Cluster" else _NAME
    labels = "Labels that filters and preferences compare." if kind == "Cluster" else "Not read."
    return _mapping(
        "The name of the object.",
        {
            "name": name | {"description": f"The name of the {kind}."},
            "labels": _labels(labels),
            "annotations": {"type": ["object", "null"], "description": "Not read."},
            "namespace": {"type": ["string", "null"], "description": "Not read."},
            **{key: {"description": "Set by the server; not read."} for key in SERVER_FILLED},
        },
        ("name",) if is_named else (),
    )


def _cluster() -> dict[str, Any]:
    unused = {key: {"description": "Accepted, without effect here."} for key in UNUSED_OF_CLUSTER}
    return _mapping(
        "The manager of the cluster.",
        {
            "manager": {
                "type": ["string", "null"],
                "description": "The kind of the manager of the cluster; a word of your own.",
                "examples": ["k8s", "slurm", "ray"],
            },
            **unused,
        },
    )


def _template() -> dict[str, Any]:
    return _mapping(
        "A placement that workloads refer to by the name of the template.",
        {
            "filters": _items(
                _criterion("A filter.", {}),
                "A cluster has to satisfy at least one of them; without any, all clusters remain.",
            ),
            "preferences": _items(
                _criterion(
                    "A preference.",
                    {
                        "weight": {
                            "type": ["integer", "string", "null"],
                            "minimum": MIN_WEIGHT,
                            "maximum": MAX_WEIGHT,
                            "pattern": "^[1-9][0-9]?$|^100$",
                            "default": MIN_WEIGHT,
                            "description": "The weight of clusters that satisfy the preference; "
                            f"{MIN_WEIGHT} has no effect.",
                        }
                    },
                ),
                "The largest weight of the preferences that a cluster satisfies is its weight.",
            ),
        },
    )


def _criterion(description: str, more: dict[str, Any]) -> dict[str, Any]:
    expression = _mapping(
        "A condition on one label of a cluster.",
        {
            "key": _TEXT
            | {
                "pattern": r"\S",
                "description": "The key of the label.",
                "examples": list(_USUAL_LABELS),
            },
            "operator": {
                "enum": [each.value for each in Operator],
                "description": "In: the cluster has the label with one of the values. NotIn: it "
                "has not; also true without the label.",
            },
            "values": _items(_TEXT, "The values that the label is compared with."),
        },
        ("key", "operator"),
    )
    return _mapping(
        f"{description} A cluster satisfies it if all labels and expressions hold.",
        {
            "name": _NAME | {"description": "Unique in its list."},
            "match_labels": _labels("Labels that a cluster has to have, with these values."),
            "match_expressions": _items(expression, "Conditions that all have to hold."),
            **more,
        },
        ("name",),
    )


def _filter_policy() -> dict[str, Any]:
    cluster = _TEXT | {"pattern": r"\S", "x-refers-to": _WORDS["Cluster"]}
    return _mapping(
        "Clusters that workloads with certain labels may use; needs ClusterAffinityPlugin.",
        {
            "cluster_filter": _mapping(
                "Clusters that remain, and clusters that are removed from those.",
                {
                    "include": _items(
                        cluster | {"description": "A cluster."},
                        "Only these clusters remain; without any, none does.",
                    ),
                    "exclude": _items(
                        cluster | {"description": "A cluster."}, "These clusters are removed."
                    ),
                },
            ),
            "labels_selector": _labels(
                "The policy applies to workloads that have all of these labels; without any, to "
                "none."
            ),
        },
    )


def _scheduler() -> dict[str, Any]:
    names = {"examples": list(HOST.names)}
    provided = "".join(
        f" {name} is provided by {HOST.packages[name]}." for name in sorted(HOST.plugins)
    )
    plugin = _mapping(
        "A plugin.",
        {
            "name": _TEXT | names | {"description": f"The name of the plugin.{provided}"},
            "weight": {
                "type": ["integer", "string", "null"],
                "minimum": MIN_WEIGHT,
                "maximum": MAX_WEIGHT,
                "default": 1,
                "description": "Factor of its score.",
            },
        },
        ("name",),
    )
    return _mapping(
        "How workloads are placed.",
        {
            "plugins": _items(
                {
                    "anyOf": [
                        _TEXT | names | {"description": f"The name of a plugin.{provided}"},
                        plugin,
                    ]
                },
                "Plugins in the order in which they are asked; the first one spreads the replicas, "
                f"as {DEFAULT_PLUGIN} does.",
                least=1,
            ),
            "on_unplaceable": _choice(
                "The result for a workload that no cluster can take: it waits, or it is rejected "
                "at once, as in SkyShift.",
                OnUnplaceable,
                OnUnplaceable.WAIT,
            ),
            "reserve": _choice(
                "Whether a placed workload reduces at once what its nodes offer; SkyShift: none.",
                Reserve,
                Reserve.IMMEDIATE,
            ),
            "gpu_rule": _choice(
                "How gpus are compared with a node: with all of its accelerators, or as in the "
                "last version of SkyShift.",
                GpuRule,
                GpuRule.INTENDED,
            ),
            "rank": _choice(
                "The order of clusters: by weight and then by capacity, or by their product, as "
                "in SkyShift.",
                Rank,
                Rank.LEXICOGRAPHIC,
            ),
        },
    )


def _labels(description: str) -> dict[str, Any]:
    return {
        "type": ["object", "null"],
        "description": description,
        "propertyNames": {"pattern": r"\S", "maxLength": MAX_TEXT},
        "properties": {key: _TEXT | {"description": "A usual label."} for key in _USUAL_LABELS},
        "additionalProperties": _TEXT,
    }


def _choice(description: str, words: Iterable[StrEnum], default: StrEnum) -> dict[str, Any]:
    return {
        "description": description,
        "enum": [*(each.value for each in words), None],
        "default": default.value,
    }


def _items(item: dict[str, Any], description: str, *, least: int = 0) -> dict[str, Any]:
    return {
        "type": ["array", "null"],
        "description": description,
        "items": item,
        "minItems": least,
    }


def _mapping(
    description: str, properties: dict[str, Any], required: tuple[str, ...] = ()
) -> dict[str, Any]:
    """Return the schema of a mapping with these fields and no others."""
    return {
        "type": "object" if required else ["object", "null"],
        "description": description,
        "additionalProperties": False,
        "properties": properties,
        "required": list(required),
    }
