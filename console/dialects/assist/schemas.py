"""JSON Schema for editors: the schemas that apply to one place of an incomplete document."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from console.dialects.assist.tolerant_parser import Node

Schema = Mapping[str, Any]


def schemas_at(root: Schema, document: Node | None, path: tuple[str | int, ...]) -> list[Schema]:
    """
    Return the schemas that apply at *path*, the most specific first.

    All branches of a choice apply. A condition on a field that the document does not have yet
    holds, unless it is a pattern.
    """
    found = [branch for branch in _branches(root, root, document) if branch]
    node = document
    for step in path:
        node = _child(node, step)
        found = step_into(root, found, step, node)
    return found


def step_into(
    root: Schema, schemas: list[Schema], step: str | int, node: Node | None
) -> list[Schema]:
    """
    Return the schemas of the value under *step*, given the *schemas* of its parent.

    *node* is that value, if the text has one.
    """
    below = [each for schema in schemas for each in _below(schema, step)]
    return [branch for each in below for branch in _branches(root, each, node) if branch]


def properties_of(schemas: list[Schema]) -> dict[str, list[Schema]]:
    """Return the schemas of each key of a mapping, by key, in the order of *schemas*."""
    merged: dict[str, list[Schema]] = {}
    for schema in schemas:
        for key, each in schema.get("properties", {}).items():
            merged.setdefault(key, []).append(each)
    return merged


def documents_of(root: Schema) -> frozenset[str]:
    """Return the keys whose texts are documents: ``x-document`` marks their schemas."""
    found: set[str] = set()
    waiting: list[Any] = [root]
    while waiting:
        each = waiting.pop()
        if isinstance(each, Mapping):
            stated = each.get("properties")
            for key, value in stated.items() if isinstance(stated, Mapping) else ():
                if isinstance(value, Mapping) and value.get("x-document"):
                    found.add(key)
            waiting += each.values()
        elif isinstance(each, list):
            waiting += each
    return frozenset(found)


def describe(schemas: list[Schema], key: str) -> Any:
    """Return the first value of *key* in *schemas*, or None if no schema has it."""
    return next((schema[key] for schema in schemas if key in schema), None)


def _below(schema: Schema, step: str | int) -> Iterator[Schema]:
    if isinstance(step, int):
        items = schema.get("items")
        if isinstance(items, Mapping):
            yield items
        return
    own = schema.get("properties", {}).get(step)
    if own is not None:
        yield own
    elif isinstance(schema.get("additionalProperties"), Mapping):
        yield schema["additionalProperties"]


def _branches(root: Schema, schema: Schema, node: Node | None) -> Iterator[Schema]:
    if "$ref" in schema:
        yield from _branches(root, _referred(root, schema["$ref"]), node)
    if "if" in schema:
        branch = "then" if _holds(schema["if"], node) else "else"
        if branch in schema:
            yield from _branches(root, schema[branch], node)
    for word in ("allOf", "anyOf", "oneOf"):
        for each in schema.get(word, ()):
            yield from _branches(root, each, node)
    yield schema


def _referred(root: Schema, pointer: str) -> Schema:
    found: Any = root
    for step in pointer.lstrip("#/").split("/"):
        if step:
            found = found[step]
    return found  # type: ignore[no-any-return]


def _holds(condition: Schema, node: Node | None) -> bool:
    for key, wanted in condition.get("properties", {}).items():
        value = node.get(key) if node is not None else None
        if value is None:
            # The field is missing. A pattern describes a special case, so it does not hold.
            if "pattern" in wanted:
                return False
            continue
        if "const" in wanted and value.text != str(wanted["const"]):
            return False
        if "pattern" in wanted and not re.search(wanted["pattern"], value.text):
            return False
    return True


def _child(node: Node | None, step: str | int) -> Node | None:
    if node is None:
        return None
    if isinstance(step, str):
        return node.get(step) if node.kind == "mapping" else None
    if node.kind == "sequence" and step < len(node.entries):
        return node.entries[step].value
    return None
