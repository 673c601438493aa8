"""All fields of all kinds in the JSON Schema of Kueue manifests, each with a sample value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from console.dialects.kueue import DIALECT

Schema = dict[str, Any]


def kinds() -> Iterator[tuple[str, str, Schema]]:
    """Yield kind, apiVersion and schema of every supported kind."""
    for each in DIALECT.schema()["allOf"]:
        properties = each["if"]["properties"]
        if "const" in properties["kind"]:
            yield properties["kind"]["const"], properties["apiVersion"]["const"], each["then"]


def paths(schema: Schema) -> dict[str, Any]:
    """Return every field below a schema by path, each with an object that sets just this field."""
    return {path: nested for path, nested in _below(schema) if path.split(".")[0] not in _HEADER}


_HEADER = ("apiVersion", "kind")


def _below(schema: Schema) -> Iterator[tuple[str, Any]]:
    for key, own in schema.get("properties", {}).items():
        yield key, _with(schema, key, sample(own))
        for path, value in _inside(own):
            yield f"{key}{path}", _with(schema, key, value)


def _inside(schema: Schema) -> Iterator[tuple[str, Any]]:
    if "items" in schema:
        for path, value in _inside(schema["items"]):
            yield f"[]{path}", [value]
        return
    for path, value in _below(schema):
        yield f".{path}", value
    more = schema.get("additionalProperties")
    if isinstance(more, dict):
        for path, value in _inside(more):
            yield f".*{path}", {"a": value}


def _with(schema: Schema, key: str, value: Any) -> dict[str, Any]:
    """Return a mapping with one field and its required siblings."""
    needed = {each: sample(schema["properties"][each]) for each in schema.get("required", ())}
    return {**needed, key: value}


def sample(schema: Schema) -> Any:
    """Return a value that a schema allows."""
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type", "object")
    first = kind if isinstance(kind, str) else kind[0]
    if first == "array":
        return [sample(schema["items"])]
    if first == "object":
        more = schema.get("additionalProperties")
        own = {each: sample(schema["properties"][each]) for each in schema.get("required", ())}
        return {**own, **({"a": sample(more)} if isinstance(more, dict) else {})}
    simple = {"string": "a", "integer": 1, "number": 1, "boolean": True}[first]
    return schema.get("examples", [simple])[0]
