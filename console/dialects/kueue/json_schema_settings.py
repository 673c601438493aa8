"""The JSON Schema of settings with declared types, that is, of Kueue's Configuration."""

from __future__ import annotations

from typing import Any, Final

from console.dialects.kueue.json_schema_parts import INT32, QUANTITY, TEXT, enumeration, items
from console.dialects.kueue.typed_fields import FieldType, ListOf, MapOf, Scalar, Words

_SCALARS: Final[dict[Scalar, dict[str, Any]]] = {
    Scalar.TEXT: TEXT,
    Scalar.BOOLEAN: {"type": ["boolean", "null"]},
    Scalar.INT32: INT32,
    Scalar.INT64: {"type": ["integer", "null"]},
    Scalar.DECIMAL: {"type": ["number", "null"]},
    Scalar.DURATION: TEXT | {"description": "A duration: 30s, 5m, 1h30m.", "examples": ["5m"]},
    Scalar.QUANTITY: QUANTITY,
    Scalar.ANYTHING: {},
}


def settings_schema(fields: dict[str, FieldType]) -> dict[str, Any]:
    """Return the schema of each field; the mappings in them allow other fields."""
    return {key: _schema(kind) for key, kind in fields.items()}


def _schema(kind: FieldType) -> dict[str, Any]:
    if isinstance(kind, Scalar):
        return _SCALARS[kind]
    if isinstance(kind, Words):
        return enumeration("A word.", kind.words)
    if isinstance(kind, MapOf):
        return {"type": ["object", "null"], "additionalProperties": _SCALARS[kind.item]}
    if isinstance(kind, ListOf):
        return items(_schema(kind.item), "A list.")
    return {
        "type": "object" if kind.required else ["object", "null"],
        "properties": {key: _schema(own) for key, own in kind.fields.items()},
        "required": list(kind.required),
    }
