"""The JSON Schema of one manifest, for completion and help in editors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from console.dialects.kueue.configuration_fields import RESOURCES, SETTINGS
from console.dialects.kueue.json_schema_parts import (
    INT32,
    LABEL_NAME,
    LABELS,
    NAME,
    TEXT,
    enumeration,
    items,
    mapping,
)
from console.dialects.kueue.json_schema_queue import SHARING, STOP, cohort_fields, queue_fields
from console.dialects.kueue.json_schema_settings import settings_schema
from console.dialects.kueue.manifests import DELETED, KINDS, SERVER_FILLED
from console.dialects.kueue.names import DNS_LABEL, MAX_LABEL
from console.dialects.kueue.parse_operator import CONFIG, OPERATOR
from console.dialects.kueue.words import (
    GangScheduling,
    OperatorPreemption,
    QuotaCheck,
    SharingStrategy,
    TolerationOperator,
)
from console.engine.model.nodes import TaintEffect

_ANYTHING: Final[dict[str, Any]] = {}
#: Kind -> its name in the console.
_WORDS: Final = {
    "ResourceFlavor": "flavor",
    "Cohort": "cohort",
    "ClusterQueue": "queue",
    "LocalQueue": "local queue",
    "WorkloadPriorityClass": "priority class",
    "Namespace": "namespace",
}


def json_schema() -> dict[str, Any]:
    """
    Return the schema; it does not include rules between fields.

    Editors find the objects by ``x-item`` and references by ``x-refers-to``.
    """
    kinds = [
        _kind(kind, f"{group}/{version}" if group else version, version)
        for kind, (group, versions) in KINDS.items()
        for version in versions
    ]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Kueue manifest",
        "type": ["object", "null"],
        "required": ["kind"],
        "properties": {
            "apiVersion": {
                "type": "string",
                "description": "Group and version of the object.",
                "examples": _api_versions(),
            },
            "kind": {
                "type": "string",
                "description": "The kind of the object.",
                "examples": [*KINDS, "List"],
            },
        },
        "allOf": [
            {
                "if": {"properties": {"kind": {"pattern": "List$"}}},
                "then": {
                    "required": ["items"],
                    "properties": {"items": {"type": ["array", "null"], "items": {"$ref": "#"}}},
                },
                "else": {"required": ["apiVersion"]},
            },
            *kinds,
        ],
    }


def _api_versions() -> list[str]:
    """Return every group with its supported versions, the newest first."""
    found = {
        f"{group}/{version}" if group else version: None
        for group, versions in KINDS.values()
        for version in sorted(versions, reverse=True)
    }
    return list(found)


def _kind(kind: str, api_version: str, version: str) -> dict[str, Any]:
    """Return the schema of objects of one kind and version."""
    properties: dict[str, Any] = {"apiVersion": _ANYTHING, "kind": _ANYTHING}
    properties |= _OWN[kind](version)
    required = []
    if kind != "Configuration":
        properties["metadata"] = _metadata()
        required = ["metadata"]
    if kind == "WorkloadPriorityClass":
        required.append("value")
    if kind == "Kueue":
        required.append("spec")
    then = {"additionalProperties": False, "required": required, "properties": properties}
    if kind in _WORDS:
        then["x-item"] = {"kind": _WORDS[kind], "name": ["metadata", "name"]}
    return {
        "if": {"properties": {"kind": {"const": kind}, "apiVersion": {"const": api_version}}},
        "then": then,
    }


def _metadata() -> dict[str, Any]:
    filled = {key: {"description": "Set by the server; not read."} for key in SERVER_FILLED}
    return mapping(
        "The name of the object.",
        {
            "name": NAME,
            "namespace": TEXT
            | {
                "pattern": f"^({DNS_LABEL})?$",
                "maxLength": MAX_LABEL,
                "description": "The namespace of a LocalQueue.",
            },
            "labels": LABELS,
            "annotations": {
                "type": ["object", "null"],
                "additionalProperties": {"type": ["string", "null"]},
            },
            "generateName": TEXT,
            DELETED: {"description": "The object is being deleted."},
            **filled,
        },
        ("name",),
    )


def _flavor(version: str) -> dict[str, Any]:
    effect = enumeration("What happens to pods without a toleration.", TaintEffect)
    taint = mapping(
        "A taint of the flavor's nodes.",
        {"key": LABEL_NAME, "value": TEXT, "effect": effect, "timeAdded": _ANYTHING},
        ("key", "effect"),
    )
    toleration = mapping(
        "A toleration that is added to every pod of the flavor.",
        {
            "key": TEXT,
            "operator": enumeration("Exists takes no value.", TolerationOperator, "Equal"),
            "value": TEXT,
            "effect": effect | {"description": "Absent stands for every effect."},
            "tolerationSeconds": {"type": ["integer", "null"]},
        },
    )
    spec = mapping(
        "The nodes of the flavor.",
        {
            "nodeLabels": LABELS | {"maxProperties": 8},
            "nodeTaints": items(taint, "Taints of the nodes.", most=8),
            "tolerations": items(toleration, "Tolerations of every pod.", most=8),
            "topologyName": TEXT | {"description": "Read, but not supported."},
        },
    )
    return {"spec": spec}


def _local_queue(version: str) -> dict[str, Any]:
    spec = mapping(
        "Routes the workloads of a namespace to a ClusterQueue.",
        {
            "clusterQueue": NAME
            | {"description": "The ClusterQueue of the workloads.", "x-refers-to": "queue"},
            "stopPolicy": STOP,
            "fairSharing": SHARING,
        },
    )
    return {"spec": spec, "status": _ANYTHING}


def _priority_class(version: str) -> dict[str, Any]:
    return {
        "value": {key: value for key, value in INT32.items() if key != "type"}
        | {"type": "integer", "description": "The priority."},
        "description": {
            "type": ["string", "null"],
            **({} if version == "v1beta1" else {"maxLength": 2048}),
        },
    }


def _namespace(version: str) -> dict[str, Any]:
    return {"spec": _ANYTHING, "status": _ANYTHING}


def _configuration(version: str) -> dict[str, Any]:
    return _settings(version)


def _settings(version: str) -> dict[str, Any]:
    strategies = items(
        enumeration("A test that lets a workload preempt.", SharingStrategy),
        "Tried in this order.",
        least=int(version != "v1beta1"),
        most=2,
    )
    sharing: dict[str, Any] = {"preemptionStrategies": strategies}
    if version == "v1beta1":
        sharing["enable"] = {"type": ["boolean", "null"]}
    resources = mapping(
        "How requests are counted.",
        {
            "quotaCheckStrategy": enumeration(
                "Requests that no resource group covers.", QuotaCheck, "BlockUndeclared"
            ),
            **settings_schema(RESOURCES),
        },
    )
    return {
        **settings_schema(SETTINGS[version]),
        "fairSharing": mapping("Its presence turns fair sharing on.", sharing),
        "resources": resources,
    }


def _operator(version: str) -> dict[str, Any]:
    if version == "v1alpha1":
        config = _open(mapping("Settings of a Configuration in v1beta1.", _settings("v1beta1")))
    else:
        preemption = mapping(
            "Classical preemption, or fair sharing.",
            {"preemptionPolicy": enumeration("FairSharing turns it on.", OperatorPreemption)},
            ("preemptionPolicy",),
        )
        gangs = mapping(
            "Read, but not supported.",
            {"policy": enumeration("Policy.", GangScheduling), "byWorkload": _ANYTHING},
        )
        config = _open(
            mapping(
                "Settings from which the operator generates a Configuration.",
                {
                    "preemption": _open(preemption),
                    "gangScheduling": _open(gangs),
                    **{key: _ANYTHING for key in CONFIG.keys if key not in _OWN_SETTINGS},
                },
            )
        )
    own = {key: _ANYTHING for key in OPERATOR.keys if key != "config"}
    spec = _open(mapping("Settings of the operator.", {"config": config, **own}, ("config",)))
    return {"spec": spec, "status": _ANYTHING}


def _open(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a mapping, changed to allow other fields."""
    return {key: value for key, value in schema.items() if key != "additionalProperties"}


_OWN_SETTINGS: Final = ("preemption", "gangScheduling")
#: By kind: version -> the fields other than apiVersion, kind and metadata.
_OWN: Final[dict[str, Callable[[str], dict[str, Any]]]] = {
    "ResourceFlavor": _flavor,
    "Cohort": cohort_fields,
    "ClusterQueue": queue_fields,
    "LocalQueue": _local_queue,
    "WorkloadPriorityClass": _priority_class,
    "Namespace": _namespace,
    "Configuration": _configuration,
    "Kueue": _operator,
}
