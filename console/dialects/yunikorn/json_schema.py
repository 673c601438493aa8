"""The JSON Schema of a config or of its ConfigMap, for completion and help in editors."""

from __future__ import annotations

from typing import Any, Final

from console.dialects.yunikorn.documents import CONFIGS, FILE, MAP_SWITCHES
from console.dialects.yunikorn.library_types import SWITCHES
from console.dialects.yunikorn.settings import PROPERTIES, SERVICE_SETTINGS
from console.dialects.yunikorn.switches import ALL, NAMES
from console.engine.disciplines.hierarchy.spec import DEFAULT_PARTITION, ROOT, NodeOrder

_TEXT: Final[dict[str, Any]] = {"type": ["string", "null"]}
_FLAG: Final[dict[str, Any]] = {"type": ["boolean", "null"]}
_COUNT: Final[dict[str, Any]] = {"type": ["integer", "null"], "minimum": 0}
_QUANTITY: Final[dict[str, Any]] = {
    "type": ["string", "integer"],
    "description": "A whole number with or without a suffix: vcore in cores, 500m for half a core; "
    "memory in bytes, 2Gi or 500M; all others as they are counted.",
}
_NAME_PATTERN: Final = "^[a-zA-Z0-9_:#/@-]{1,64}$"


def json_schema() -> dict[str, Any]:
    """
    Return the schema; it does not include rules between fields.

    Editors find the objects by ``x-item``.
    """
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "YuniKorn config",
        "type": ["object", "null"],
        "if": {"required": ["kind"], "properties": {"kind": {"pattern": "."}}},
        "then": _config_map(),
        "else": _mapping("The content of queues.yaml.", _config() | _switches()),
        "$defs": {"queue": _queue(), "rule": _rule()},
    }


def _config() -> dict[str, Any]:
    return {
        "partitions": _list("Trees of queues, each with nodes of its own.", _partition()),
        "checksum": _TEXT | {"description": "Computed by YuniKorn; it is not read."},
    }


def _switches() -> dict[str, Any]:
    return {
        SWITCHES: {
            "description": "In which points YuniKorn's own behavior is wanted: yunikorn for all, "
            "or a list of names. YuniKorn itself does not know the field.",
            "type": ["array", "string", "null"],
            "items": {"type": "string", "enum": list(NAMES)},
            "examples": [ALL],
        },
    }


def _config_map() -> dict[str, Any]:
    return {
        "required": ["apiVersion"],
        "properties": {
            "apiVersion": {"const": "v1", "description": "The version of a ConfigMap."},
            "kind": {"type": "string", "description": "The kind.", "examples": ["ConfigMap"]},
            "metadata": {
                "type": ["object", "null"],
                "description": "The name of the ConfigMap.",
                "properties": {
                    "name": {"description": "The name.", "examples": [CONFIGS]},
                },
            },
            "data": {
                "type": ["object", "null"],
                "description": "The config and settings of the service.",
                "properties": {
                    FILE: {
                        "type": "string",
                        "description": "The config as a text.",
                        "x-document": True,
                        "properties": _config(),
                    },
                    MAP_SWITCHES: _TEXT
                    | {"description": "In which points YuniKorn's own behavior is wanted."},
                    **{
                        name: {
                            "type": ["string", "null"],
                            "description": f"{setting.about} Default: {setting.default}.",
                        }
                        for name, setting in SERVICE_SETTINGS.items()
                    },
                },
            },
        },
    }


def _partition() -> dict[str, Any]:
    found = _mapping(
        "A tree of queues with the nodes that it uses.",
        {
            "name": _TEXT | {"description": "The name; default without one."},
            "queues": _queues("The queues below the root, or the root alone."),
            "placementrules": _list("Rules that find the queue of an application.", _ref("rule")),
            "limits": _list("Limits of users and groups in the root.", _limit()),
            "preemption": _mapping(
                "Whether pods are stopped for others.",
                {
                    "enabled": _FLAG
                    | {
                        "description": "Queues below their guarantee stop pods of queues above "
                        "theirs. Default: true."
                    },
                    "quotapreemptionenabled": _FLAG
                    | {
                        "description": "Pods stop after the maximum of their queue was lowered. "
                        "Default: false."
                    },
                },
            ),
            "nodesortpolicy": _mapping(
                "Which of the nodes with room a pod gets.",
                {
                    "type": {
                        "type": ["string", "null"],
                        "enum": ["", *(each.value for each in NodeOrder), None],
                        "description": "fair: the least used node; binpacking: the most used one. "
                        "Default: fair.",
                    },
                    "resourceweights": {
                        "type": ["object", "null"],
                        "description": "The weight of each resource in the usage of a node.",
                        "additionalProperties": {"type": "number", "minimum": 0},
                    },
                },
            ),
            "usergroupresolver": _mapping(
                "Where the groups of users come from. It is not read.",
                {"type": _TEXT | {"description": "os, ldap or test.", "examples": ["os", "ldap"]}},
            ),
        },
    )
    return found | {"x-item": {"kind": "partition", "name": ["name"]}}


def _queue() -> dict[str, Any]:
    found = _mapping(
        "A queue; applications run in queues without others below them.",
        {
            "name": {
                "type": ["string", "null"],
                "pattern": _NAME_PATTERN,
                "description": "The name, with upper and lower case being the same.",
            },
            "parent": _FLAG
            | {"description": "Whether the queue only has queues below it, even if none is here."},
            "resources": _resources(),
            "maxapplications": _COUNT
            | {"description": "The most running applications; 0 is no limit."},
            "properties": _properties(),
            "adminacl": _access("Users and groups that administer the queue."),
            "submitacl": _access("Users and groups that submit to the queue and those below it."),
            "childtemplate": _mapping(
                "The settings of queues that rules create below the queue.",
                {
                    "maxapplications": _COUNT
                    | {"description": "The most running applications; 0 is no limit."},
                    "properties": _properties(),
                    "resources": _resources(),
                },
            ),
            "queues": _queues("The queues below the queue."),
            "limits": _list("Limits of users and groups in the queue and below it.", _limit()),
        },
    )
    path = {"top": ROOT, "within": "partition", "unless": DEFAULT_PARTITION}
    item = {"kind": "queue", "name": ["name"], "path": path}
    return found | {"required": ["name"], "x-item": item}


def _queues(description: str) -> dict[str, Any]:
    return _list(description, _ref("queue"))


def _rule() -> dict[str, Any]:
    return _mapping(
        "A rule that finds the queue of an application.",
        {
            "name": {
                "type": "string",
                "description": "provided: the submitted queue; user: the name of the user; tag: "
                "the value of a tag; fixed: the value here.",
                "examples": ["provided", "user", "tag", "fixed"],
            },
            "create": _FLAG
            | {"description": "Whether a queue that does not exist is created. Default: false."},
            "value": _TEXT
            | {
                "description": "The queue of a fixed rule, and the tag of a tag rule.",
                "examples": ["namespace"],
            },
            "filter": _mapping(
                "The users to whom the rule applies.",
                {
                    "type": _TEXT
                    | {"description": "Default: allow.", "examples": ["allow", "deny"]},
                    "users": _names("Names of users, or one regular expression."),
                    "groups": _names("Names of groups, or one regular expression."),
                },
            ),
            "parent": _ref("rule") | {"description": "The rule for the queue above."},
        },
    ) | {"required": ["name"]}


def _limit() -> dict[str, Any]:
    return _mapping(
        "What each of some users, and each of some groups, may use.",
        {
            "limit": _TEXT | {"description": "A description."},
            "users": _names("Names of users; * stands for all others."),
            "groups": _names("Names of groups; * stands for all others."),
            "maxresources": _amounts("The most that each one may use."),
            "maxapplications": _COUNT
            | {"description": "The most running applications of each one; 0 is no limit."},
        },
    )


def _resources() -> dict[str, Any]:
    return _mapping(
        "What the queue is guaranteed, and the most it may use.",
        {
            "guaranteed": _amounts("What the queue gets before others get more."),
            "max": _amounts("The most that the queue may use with those below it."),
        },
    )


def _amounts(description: str) -> dict[str, Any]:
    return {
        "type": ["object", "null"],
        "description": description,
        "properties": {
            "vcore": _QUANTITY | {"description": "Cores: 4, or 500m for half a core."},
            "memory": _QUANTITY | {"description": "Bytes: 16Gi, 500M."},
        },
        "additionalProperties": _QUANTITY,
    }


def _properties() -> dict[str, Any]:
    return {
        "type": ["object", "null"],
        "description": "Settings of the order and preemption of a queue.",
        "properties": {
            name: {
                "description": f"{each.about} Default: {each.default}.",
                **(
                    {"type": ["string", "null"], "examples": list(each.words)}
                    if each.words
                    else {"type": ["string", "integer", "null"]}
                ),
            }
            for name, each in PROPERTIES.items()
        },
        "additionalProperties": {"type": ["string", "number", "boolean", "null"]},
    }


def _access(description: str) -> dict[str, Any]:
    return _TEXT | {
        "description": f"{description} users, one space, groups: ann,bob dev. * is all users.",
        "examples": ["*"],
    }


def _names(description: str) -> dict[str, Any]:
    return {
        "type": ["array", "null"],
        "description": description,
        "items": {"type": ["string", "null"]},
    }


def _list(description: str, item: dict[str, Any]) -> dict[str, Any]:
    return {"type": ["array", "null"], "description": description, "items": item}


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/$defs/{name}"}


def _mapping(description: str, properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": ["object", "null"],
        "description": description,
        "additionalProperties": False,
        "properties": properties,
    }
