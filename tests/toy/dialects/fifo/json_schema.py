"""The JSON Schema of a document, for editors that complete and explain fields."""

from __future__ import annotations

from typing import Any

from console.dialects.fields import MAX_TEXT
from console.dialects.fifo.schema import LIMIT
from console.dialects.numbers import MAX_AMOUNT


def json_schema() -> dict[str, Any]:
    """Return the schema; editors find the lines by ``x-item``."""
    amount = {"type": "number", "minimum": 0, "maximum": MAX_AMOUNT, "multipleOf": 0.001}
    line = {
        "type": "object",
        "description": "A line; without a limit it admits every workload.",
        "additionalProperties": False,
        "required": ["name"],
        "properties": {
            "name": {
                "type": "string",
                "pattern": r"\S",
                "maxLength": MAX_TEXT,
                "description": 'Workloads join the line with the label "line".',
            },
            "limit": {
                "type": ["object", "null"],
                "description": "The most that the workloads of the line may use together.",
                "additionalProperties": False,
                "properties": {
                    resource: amount | {"description": f"The limit of {resource}."}
                    for resource in LIMIT.keys
                },
            },
        },
        "x-item": {"kind": "queue", "name": ["name"]},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "FIFO config",
        "type": ["object", "null"],
        "additionalProperties": False,
        "properties": {
            "lines": {
                "type": "array",
                "minItems": 1,
                "description": "Lines of workloads, each first come, first served.",
                "items": line,
            }
        },
        "required": ["lines"],
    }
