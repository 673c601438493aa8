"""The JSON Schema of a native document, for completion and help in editors."""

from __future__ import annotations

from typing import Any

from console.dialects.fields import MAX_TEXT
from console.dialects.native.schema import NeverOrLower, Resource
from console.dialects.numbers import MAX_AMOUNT, MAX_PRIORITY
from console.engine.disciplines.quota.spec import PreemptionRule
from console.engine.model.selectors import Operator
from console.engine.routing.rules import OnViolation

_NAME = {"type": "string", "pattern": r"\S", "maxLength": MAX_TEXT}
_AMOUNT = {"type": "number", "minimum": 0, "maximum": MAX_AMOUNT, "multipleOf": 0.001}
_PRIORITY = {"type": "integer", "minimum": 0, "maximum": MAX_PRIORITY}


def json_schema() -> dict[str, Any]:
    """
    Return the schema; it does not include rules between fields.

    Editors find the objects by ``x-item`` and references by ``x-refers-to``.
    """
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Scheduler config",
        "type": ["object", "null"],
        "additionalProperties": False,
        "properties": {
            "resource_flavors": _list(
                _flavor(), "Kinds of capacity, and which workloads may use them."
            ),
            "resource_queues": _list(_queue(), "Queues with their quota."),
            "scheduling_rules": _list(
                _rule(), "Rules that route workloads to queues, tried in order."
            ),
        },
    }


def _list(items: dict[str, Any], description: str, least: int = 0) -> dict[str, Any]:
    kind: dict[str, Any] = {"description": description, "items": items}
    if least:
        return kind | {"type": "array", "minItems": least}
    return kind | {"type": ["array", "null"]}


def _mapping(
    description: str, properties: dict[str, Any], required: tuple[str, ...] = ()
) -> dict[str, Any]:
    return {
        "type": "object" if required else ["object", "null"],
        "description": description,
        "additionalProperties": False,
        "properties": properties,
        "required": list(required),
    }


def _word(description: str, words: Any, default: str | None = None) -> dict[str, Any]:
    kind = {"description": description, "enum": [word.value for word in words]}
    return kind if default is None else kind | {"default": default}


def _selector(what: str) -> dict[str, Any]:
    expression = _mapping(
        "One requirement on one label.",
        {
            "key": _NAME | {"description": "The label's key."},
            "operator": _word("How the label is compared.", Operator),
            "values": {
                "type": ["array", "null"],
                "description": "Values for in and not_in; quote true, 1 and dates.",
                "items": _NAME,
            },
        },
        ("key", "operator"),
    )
    return _list(expression, f"All must hold on the workload's labels; without any, {what}.")


def _flavor() -> dict[str, Any]:
    return _mapping(
        "A kind of capacity.",
        {
            "name": _NAME | {"description": "How resource groups refer to the flavor."},
            "selector": _selector("every workload may use the flavor"),
            "advanced_instance_config": {
                "type": ["object", "null"],
                "description": "Returned unchanged with every admission that uses the flavor.",
            },
        },
        ("name",),
    ) | {"x-item": {"kind": "flavor", "name": ["name"]}}


def _queue() -> dict[str, Any]:
    preemption = _mapping(
        "When the queue may preempt running workloads.",
        {
            ("within_resource_queue"): _word(
                ("Preempt workloads of this queue."), NeverOrLower, ("never")
            ),
            "reclaim_within_cohort": _word(
                "Preempt workloads of the cohort that borrow this queue's quota.",
                PreemptionRule,
                "never",
            ),
            "borrow_within_cohort": _word(
                "Preempt workloads of the cohort in order to borrow.", NeverOrLower, "never"
            ),
        },
    )
    return _mapping(
        "A queue; without resource_groups it admits every workload.",
        {
            ("name"): _NAME
            | {("description"): ("The queue's other fields can never change under this name.")},
            "preemption": preemption,
            "resource_groups": _list(_group(), "Quota; without it, every workload is admitted."),
            "cohort_name": _NAME
            | {
                "description": "Queues of one cohort share unused quota.",
                "x-refers-to": "cohort",
                "x-implied": True,
            },
        },
        ("name",),
    ) | {"x-item": {"kind": "queue", "name": ["name"]}}


def _group() -> dict[str, Any]:
    resource = _mapping(
        "Quota of one resource; a covered resource that is not listed is unlimited.",
        {
            "name": _word("One of the group's covered_resources.", Resource),
            "nominal_quota": _AMOUNT
            | {"description": "Quota that the queue owns; absent is unlimited, 0 blocks."},
            "borrowing_limit": _AMOUNT
            | {"description": "How much may be borrowed from the cohort."},
            "lending_limit": _AMOUNT | {"description": "How much may be lent to the cohort."},
        },
        ("name",),
    )
    quota = _mapping(
        "A flavor and its quota in this queue.",
        {
            "name": _NAME
            | {"description": "A flavor of resource_flavors.", "x-refers-to": "flavor"},
            "resources": _list(resource, "Quota by resource."),
        },
        ("name",),
    )
    return _mapping(
        "Resources that get the same flavor.",
        {
            "covered_resources": {
                "type": "array",
                "minItems": 1,
                "uniqueItems": True,
                "description": "The resources this group has quota for.",
                "items": _word("A resource.", Resource),
            },
            "flavors": _list(quota, "Flavors in the order in which they are tried.", 1),
        },
        ("covered_resources", "flavors"),
    )


def _rule() -> dict[str, Any]:
    priority = _mapping(
        "The priority the rule gives and accepts.",
        {
            "default": _PRIORITY | {"description": "For workloads that request none."},
            "min": _PRIORITY | {"description": "The lowest priority accepted."},
            "max": _PRIORITY | {"description": "The highest priority accepted."},
            "on_violation": _word(
                "Reject tries the next rule, force_update clamps.", OnViolation, "reject"
            ),
        },
    )
    return _mapping(
        "A rule that routes workloads to a queue.",
        {
            "selector": _selector("the rule matches every workload"),
            "resource_queue": _NAME
            | {"description": "A queue of resource_queues.", "x-refers-to": "queue"},
            "priority_policy": priority,
        },
        ("resource_queue",),
    ) | {"x-item": {"kind": "rule", "leads_to": ["resource_queue"]}}
