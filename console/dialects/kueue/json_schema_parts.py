"""Shared parts of the JSON Schema: names, quantities, labels, lists and mappings."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Any, Final

from console.dialects.kueue.names import DNS_SUBDOMAIN, LABEL, LABEL_KEY, MAX_SUBDOMAIN
from console.dialects.numbers import LEAST_PRIORITY, MAX_PRIORITY
from console.dialects.quantity import QUANTITY as QUANTITY_PATTERN

#: An optional text.
TEXT: Final[dict[str, Any]] = {"type": ["string", "null"]}
NAME: Final[dict[str, Any]] = {
    "type": "string",
    "pattern": f"^{DNS_SUBDOMAIN}$",
    "maxLength": MAX_SUBDOMAIN,
}
LABEL_NAME: Final[dict[str, Any]] = {"type": "string", "pattern": f"^{LABEL_KEY}$"}
RESOURCE: Final[dict[str, Any]] = LABEL_NAME | {
    "description": "A resource: cpu, memory, pods, nvidia.com/gpu.",
    "examples": ["cpu", "memory", "nvidia.com/gpu", "pods"],
}
QUANTITY: Final[dict[str, Any]] = {
    "type": ["string", "integer", "null"],
    "minimum": 0,
    "pattern": f"^(?!-){QUANTITY_PATTERN}$",
}
INT32: Final[dict[str, Any]] = {
    "type": ["integer", "null"],
    "minimum": LEAST_PRIORITY,
    "maximum": MAX_PRIORITY,
}
LABELS: Final[dict[str, Any]] = {
    "type": ["object", "null"],
    "description": "Labels.",
    "propertyNames": {"pattern": f"^{LABEL_KEY}$"},
    "additionalProperties": {"type": "string", "pattern": f"^({LABEL})?$"},
}


def enumeration(
    description: str, words: Iterable[StrEnum], default: str | None = None
) -> dict[str, Any]:
    """Return the schema of an optional word of *words*."""
    kind = {"description": description, "enum": [*(word.value for word in words), None]}
    return kind if default is None else kind | {"default": default}


def items(
    item: dict[str, Any], description: str, *, least: int = 0, most: int | None = None
) -> dict[str, Any]:
    """Return the schema of a list."""
    kind: dict[str, Any] = {"description": description, "items": item}
    kind |= {"type": "array", "minItems": least} if least else {"type": ["array", "null"]}
    return kind if most is None else kind | {"maxItems": most}


def mapping(
    description: str,
    properties: dict[str, Any],
    required: tuple[str, ...] = (),
) -> dict[str, Any]:
    """Return the schema of a mapping with these fields and no others."""
    return {
        "type": "object" if required else ["object", "null"],
        "description": description,
        "additionalProperties": False,
        "properties": properties,
        "required": list(required),
    }
