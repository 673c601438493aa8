"""The JSON Schema of one object or List, for completion and help in editors."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Any, Final

from console.dialects.fields import MAX_TEXT
from console.dialects.kai.manifests import KINDS, UNREAD_METADATA
from console.dialects.kai.parse_shard import (
    DOCUMENTED_SATURATION,
    FULL_HIERARCHY,
    PLUGINS,
    SATURATION,
    STALE_GRACE,
    USAGE,
    USAGE_PARAMETERS,
)
from console.dialects.numbers import LEAST_PRIORITY, MAX_PRIORITY
from console.engine.disciplines.fairshare.resources import RESOURCES
from console.engine.disciplines.fairshare.spec import (
    DEFAULT_PRIORITY,
    PlacementStrategy,
    QueueRule,
    ReclaimMethod,
    Settings,
    UsageWindow,
    WindowKind,
)
from console.engine.model.nodes import TaintEffect

_ANYTHING: Final[dict[str, Any]] = {}
_TEXT: Final[dict[str, Any]] = {"type": "string", "maxLength": MAX_TEXT}
_OPTIONAL_TEXT: Final[dict[str, Any]] = {"type": ["string", "null"], "maxLength": MAX_TEXT}
_AMOUNT: Final[dict[str, Any]] = {"type": ["number", "string", "null"]}
_DURATION: Final[dict[str, Any]] = {
    "type": ["string", "integer", "null"],
    "examples": ["0s", "90s", "5m", "30m", "1h"],
}
#: Kind -> its name in the console.
_WORDS: Final = {"Queue": "queue", "PriorityClass": "priority class", "Node": "node"}
_UNITS: Final = {
    RESOURCES.cpu: "thousandths of a core: 1000 is one core",
    RESOURCES.memory: "MB of 1,000,000 bytes",
    RESOURCES.gpu: "devices; parts of a device are possible",
}


def json_schema() -> dict[str, Any]:
    """
    Return the schema; it does not include rules between fields.

    Editors find the objects by ``x-item`` and references by ``x-refers-to``.
    """
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "KAI object",
        "type": ["object", "null"],
        "required": ["kind"],
        "properties": {
            "apiVersion": {
                "type": "string",
                "description": "Group and version of the object.",
                "examples": list(KINDS.values()),
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
            _kind("Queue", {"spec": _queue(), "status": _unread()}, ("spec",)),
            _kind("PriorityClass", _priority_class(), ("value",)),
            _kind("Node", _node(), ()),
            _kind("SchedulingShard", {"spec": _shard(), "status": _unread()}, ()),
        ],
    }


def _kind(kind: str, own: dict[str, Any], required: tuple[str, ...]) -> dict[str, Any]:
    """Return the schema of the objects of one kind."""
    then: dict[str, Any] = {
        "additionalProperties": False,
        "required": ["metadata", *required],
        "properties": {
            "apiVersion": {"const": KINDS[kind]},
            "kind": _ANYTHING,
            "metadata": _metadata(kind),
            **own,
        },
    }
    if kind in _WORDS:
        then["x-item"] = {"kind": _WORDS[kind], "name": ["metadata", "name"]}
    return {"if": {"properties": {"kind": {"const": kind}}}, "then": then}


def _metadata(kind: str) -> dict[str, Any]:
    return _mapping(
        "The name of the object.",
        {
            "name": _TEXT | {"pattern": r"\S", "description": f"The name of the {kind}."},
            "creationTimestamp": {
                "type": ["string", "null"],
                "description": "Of two queues that are equal otherwise, the older one is first.",
            },
            "labels": {
                "type": ["object", "null"],
                "description": "Labels; nodes are selected by theirs.",
                "additionalProperties": _OPTIONAL_TEXT,
            },
            "annotations": {"type": ["object", "null"], "description": "Not read."},
            **{key: _unread() for key in UNREAD_METADATA},
        },
        ("name",),
    )


def _queue() -> dict[str, Any]:
    return _mapping(
        "The place of the queue in the tree, and what it may use.",
        {
            "displayName": _OPTIONAL_TEXT | {"description": "The name in messages."},
            "parentQueue": _OPTIONAL_TEXT
            | {
                "x-refers-to": _WORDS["Queue"],
                "description": "The queue above; without it, the queue is at the top.",
            },
            "priority": {
                "type": ["integer", "null"],
                "minimum": LEAST_PRIORITY,
                "maximum": MAX_PRIORITY,
                "default": DEFAULT_PRIORITY,
                "description": "Queues with a higher priority get what quotas leave first, and are "
                "served first.",
            },
            "resources": _mapping(
                "Quota, weight and limit of each resource; an absent one has a limit of 0.",
                {resource: _resource(resource) for resource in RESOURCES},
            ),
            "preemptMinRuntime": _DURATION
            | {"description": "How long a workload runs before one of its own queue preempts it."},
            "reclaimMinRuntime": _DURATION
            | {"description": "How long a workload runs before another queue reclaims from it."},
        },
        ("resources",),
    )


def _resource(resource: str) -> dict[str, Any]:
    unit = _UNITS[resource]
    return _mapping(
        f"Quota and limit are in {unit}.",
        {
            "quota": {
                "type": ["number", "null"],
                "minimum": -1,
                "default": 0,
                "description": f"The guaranteed amount, in {unit}. -1: all that the parent has.",
            },
            "overQuotaWeight": {
                "type": ["number", "null"],
                "minimum": 0,
                "default": 0,
                "description": "The share of what quotas leave, relative to the other queues below "
                "the same parent. 0: nothing.",
            },
            "limit": {
                "type": ["number", "null"],
                "minimum": -1,
                "default": 0,
                "description": f"The most that may be used, including the quota, in {unit}. -1: no "
                "limit. 0 or absent: nothing may be used.",
            },
        },
    )


def _priority_class() -> dict[str, Any]:
    return {
        "value": {
            "type": "integer",
            "minimum": LEAST_PRIORITY,
            "maximum": MAX_PRIORITY,
            "description": "The priority; workloads below 100 can be preempted.",
        },
        "globalDefault": {
            "type": ["boolean", "null"],
            "default": False,
            "description": "Whether it applies to workloads that name no class that exists.",
        },
        "preemptionPolicy": _OPTIONAL_TEXT | {"description": "Not read."},
        "description": {"type": ["string", "null"], "description": "Not read."},
    }


def _node() -> dict[str, Any]:
    taint = _mapping(
        "A taint.",
        {
            "key": _TEXT,
            "value": _OPTIONAL_TEXT,
            "effect": {"enum": [each.value for each in TaintEffect]},
            "timeAdded": _ANYTHING,
        },
        ("key", "effect"),
    )
    return {
        "spec": {
            "type": ["object", "null"],
            "description": "Taints, and whether the node accepts pods; other fields are not read.",
            "properties": {
                "taints": {"type": ["array", "null"], "items": taint, "description": "Taints."},
                "unschedulable": {
                    "type": ["boolean", "null"],
                    "description": "Whether the node accepts no new pods.",
                },
            },
        },
        "status": {
            "type": ["object", "null"],
            "description": "What the node offers; other fields are not read.",
            "properties": {
                "allocatable": {
                    "type": ["object", "null"],
                    "description": "What pods may use, as quantities of Kubernetes.",
                    "properties": {
                        "cpu": _AMOUNT | {"description": "Cores, such as 64 or 500m."},
                        "memory": _AMOUNT | {"description": "Bytes, such as 512Gi."},
                        "nvidia.com/gpu": _AMOUNT | {"description": "Devices."},
                    },
                    "additionalProperties": _AMOUNT,
                },
                "conditions": {
                    "type": ["array", "null"],
                    "description": "With Ready other than True, the node accepts no pods.",
                },
            },
        },
    }


def _shard() -> dict[str, Any]:
    default = Settings()
    return _mapping(
        "The settings of the scheduler.",
        {
            "placementStrategy": _mapping(
                "Which of the nodes with room a pod gets.",
                {
                    name: _choice(
                        f"For pods that request {what}: the fullest node, or the emptiest.",
                        PlacementStrategy,
                        PlacementStrategy.BINPACK,
                    )
                    for name, what in (("gpu", "GPUs"), ("cpu", "no GPUs"))
                },
            ),
            "kValue": {
                "type": ["number", "null"],
                "minimum": 0,
                "default": default.k_value,
                "description": "The influence of past usage on fair shares.",
            },
            "minRuntime": _mapping(
                "For queues that state and inherit none.",
                {
                    "preemptMinRuntime": _DURATION | {"description": "Before a preemption."},
                    "reclaimMinRuntime": _DURATION | {"description": "Before a reclaim."},
                },
            ),
            "usageDBConfig": _usage(),
            "jobQueueRule": _choice(
                "Which queues run workloads: those without children, or, as before version 0.13, "
                "those with a parent. A setting of this product, not of KAI.",
                QueueRule,
                default.queue_rule,
            ),
            "args": {
                "type": ["object", "null"],
                "description": "Arguments of the command line; others have no effect here.",
                "properties": {
                    STALE_GRACE: _DURATION
                    | {"description": "When gangs with too few pods are evicted; negative: never."},
                    FULL_HIERARCHY: {
                        "enum": ["true", "false", True, False, None],
                        "description": "false: all queues with a parent are below one queue.",
                    },
                },
            },
            "plugins": {
                "type": ["object", "null"],
                "description": "Arguments of plugins; others have no effect here.",
                "properties": {name: _plugin(name) for name in PLUGINS},
            },
            "partitionLabelValue": {
                "type": "string",
                "maxLength": MAX_TEXT,
                "description": (
                    "Name of the node pool: only nodes with this value of the label "
                    "kai.scheduler/node-pool count, or without it only nodes without that label."
                ),
            },
            **{key: _unread() for key in ("actions", "queueDepthPerAction")},
        },
    )


def _usage() -> dict[str, Any]:
    read = {
        "windowType": _choice("Where the window begins.", WindowKind, WindowKind.SLIDING),
        "windowSize": _DURATION
        | {"description": f"The length; {UsageWindow().length // 86_400_000} days if absent."},
        "halfLifePeriod": _DURATION | {"description": "After it, usage counts half."},
        "tumblingWindowStartTime": {
            "type": ["string", "null"],
            "description": "A time at which a tumbling window begins.",
        },
    }
    others = {key: _unread() for key in USAGE_PARAMETERS.keys if key not in read}
    return _mapping(
        "If present, the usage of the past lowers fair shares.",
        {
            "usageParams": _mapping("The window of the past that counts.", {**read, **others}),
            **{key: _unread() for key in USAGE.keys if key != "usageParams"},
        },
    )


def _plugin(name: str) -> dict[str, Any]:
    number = {"type": ["string", "number", "null"]}
    known = {
        "kValue": number | {"description": "As kValue of the spec, which comes first."},
        SATURATION: number
        | {"description": "At least 1: how much more saturated a queue must be to lose capacity."},
        DOCUMENTED_SATURATION: number
        | {"description": f"The name of {SATURATION} in KAI's documentation."},
        "defaultPreemptMinRuntime": _DURATION | {"description": "As preemptMinRuntime."},
        "defaultReclaimMinRuntime": _DURATION | {"description": "As reclaimMinRuntime."},
        "reclaimResolveMethod": _choice(
            "Where the search for the minimum runtime begins.",
            ReclaimMethod,
            ReclaimMethod.COMMON_ANCESTOR,
        ),
    }
    return _mapping(
        f"The plugin {name}.",
        {
            "enabled": _unread(),
            "priority": _unread(),
            "arguments": {
                "type": ["object", "null"],
                "description": "Arguments.",
                "properties": {key: known[key] for key in PLUGINS[name]},
            },
        },
    )


def _unread() -> dict[str, Any]:
    return {"description": "Accepted, without effect here."}


def _choice(description: str, words: Iterable[StrEnum], default: StrEnum) -> dict[str, Any]:
    return {
        "description": description,
        "enum": [*(each.value for each in words), None],
        "default": default.value,
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
