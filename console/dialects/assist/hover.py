"""Hover help: the description of the key or value at one place of a text."""

from __future__ import annotations

from dataclasses import dataclass

from console.dialects.assist.cursor_context import Path
from console.dialects.assist.facts import Facts, facts_of
from console.dialects.assist.schemas import Schema, schemas_at, step_into
from console.dialects.assist.tolerant_parser import Node, TolerantParser


@dataclass(frozen=True, slots=True, kw_only=True)
class Help:
    """Help for one key or value, with its place; columns count from 1."""

    #: The key, also if the cursor is on its value; "" for an item of a list.
    key: str
    path: Path
    facts: Facts
    #: The name at the place, if it refers to an object; else "".
    name: str
    line: int
    column: int
    end_column: int


def explain(schema: Schema, parsed: TolerantParser, line: int, column: int) -> Help | None:
    """Return help for the key or value at a place; None if the schema does not describe it."""
    for root in parsed.roots:
        if root is not None and root.line <= line <= root.end_line:
            found = _within(schema, schemas_at(schema, root, ()), root, (), line, column)
            if found is not None:
                return found
    return None


def _within(
    root: Schema, schemas: list[Schema], node: Node, path: Path, line: int, column: int
) -> Help | None:
    # An explicit stack, because documents may be nested deeper than Python's recursion limit.
    open_nodes = [(schemas, node, path, False)]
    while open_nodes:
        schemas, node, path, is_key = open_nodes.pop()
        if is_key:
            return _help(schemas, node, path, "")
        if node.kind == "scalar":
            found = _help(schemas, node, path, node.text) if _covers(node, line, column) else None
            if found is not None:
                return found
            continue
        inner = []
        for index, entry in enumerate(node.entries):
            step = index if node.kind == "sequence" else entry.key.text if entry.key else ""
            value = entry.value
            if entry.key is not None and _covers(entry.key, line, column):
                below = step_into(root, schemas, step, value)
                inner.append((below, entry.key, (*path, step), True))
                break
            if value is not None and value.line <= line <= value.end_line:
                inner.append((step_into(root, schemas, step, value), value, (*path, step), False))
        open_nodes += reversed(inner)
    return None


def _help(schemas: list[Schema], at: Node, path: Path, text: str) -> Help | None:
    facts = facts_of(schemas)
    if not facts.description and not facts.choices:
        return None
    last = path[-1] if path else ""
    return Help(
        key=last if isinstance(last, str) else "",
        path=path,
        facts=facts,
        name=text if facts.refers_to else "",
        line=at.line,
        column=at.column,
        end_column=at.end_column,
    )


def _covers(node: Node, line: int, column: int) -> bool:
    return node.line == line and node.column <= column <= node.end_column
