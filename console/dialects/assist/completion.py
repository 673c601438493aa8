"""Completion: the keys, values and names that can be inserted at the cursor."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from console.dialects.assist.cursor_context import CursorContext, find_cursor_context
from console.dialects.assist.facts import Facts, facts_of
from console.dialects.assist.names import Names
from console.dialects.assist.schemas import (
    Schema,
    documents_of,
    properties_of,
    schemas_at,
    step_into,
)
from console.dialects.assist.tolerant_parser import Node, TolerantParser, split_lines
from console.dialects.scalars import write_text

#: Kind of object -> the names that a reference may use.
Known = Callable[[str], list[str]]

#: The part of a word after the cursor.
_REST: Final = re.compile(r"^[^\s,\[\]{}\"'#:]*")

#: Maximum number of completions of one response.
MOST = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """A text that can replace the word at the cursor."""

    label: str
    insert: str
    #: "key", "word", or the kind of the object whose name is inserted.
    kind: str
    facts: Facts
    is_required: bool = False


def complete(
    schema: Schema, text: str, parsed: TolerantParser, names: Names, line: int, column: int
) -> tuple[Completion, ...]:
    """Return the completions at the cursor, in the order of the schema; *line* counts from 1."""
    cursor = find_cursor_context(text, line, column, documents_of(schema))
    if cursor is None:
        return ()
    document = _whole(parsed, cursor)
    schemas = schemas_at(schema, document, cursor.path)
    current = split_lines(text)[line - 1]
    behind = current[column - 1 :]
    rest = _REST.match(behind)
    whole = cursor.word + (rest[0] if rest else "")

    def known(kind: str) -> list[str]:
        return names.known(kind, line, column)

    if cursor.role == "key":
        found = []
        if cursor.list_of is not None:
            found += _first_items(schema, schemas_at(schema, document, cursor.list_of), known)
        found += _keys(schemas, _taken(parsed, cursor) - {whole}, behind)
    else:
        found = [*_words(schemas, known)]
        if cursor.role == "begins":
            found += _keys(schemas, _taken(parsed, cursor) - {whole}, behind)
            if "-" not in current[: column - 1] and not _is_flow(current[: column - 1]):
                found += _first_items(schema, schemas, known)
    typed = cursor.word.lower()
    # Labels that start with the word come before labels that only contain it.
    fitting = [each for each in found if typed in each.label.lower()] if typed else found
    fitting.sort(key=lambda each: not each.label.lower().startswith(typed))
    return tuple(fitting[:MOST])


def _keys(schemas: list[Schema], taken: frozenset[str], behind: str) -> list[Completion]:
    required = {key for schema in schemas for key in schema.get("required", ())}
    found = []
    for key, said in properties_of(schemas).items():
        if key in taken:
            continue
        facts = facts_of(said)
        has_colon = _REST.sub("", behind, count=1).lstrip().startswith(":")
        colon = "" if has_colon else ":" if facts.is_collection else ": "
        found.append(
            Completion(
                label=key,
                insert=f"{write_text(key)}{colon}",
                kind="key",
                facts=facts,
                is_required=key in required,
            )
        )
    return found


def _words(schemas: list[Schema], known: Known) -> Iterable[Completion]:
    facts = facts_of(schemas)
    if facts.refers_to:
        for name in known(facts.refers_to):
            yield Completion(label=name, insert=write_text(name), kind=facts.refers_to, facts=facts)
    booleans = ("true", "false") if "boolean" in facts.types else ()
    for word in dict.fromkeys([*facts.choices, *facts.examples]):
        yield Completion(label=word, insert=write_text(word), kind="word", facts=facts)
    for word in booleans:
        yield Completion(label=word, insert=word, kind="word", facts=facts)


def _first_items(root: Schema, schemas: list[Schema], known: Known) -> list[Completion]:
    """Return completions for the first item of a list."""
    below = step_into(root, schemas, 0, None)
    found = [*_words(below, known), *_keys(below, frozenset(), "")]
    return [
        Completion(
            label=f"- {each.label}",
            insert=f"- {each.insert}",
            kind=each.kind,
            facts=each.facts,
            is_required=each.is_required,
        )
        for each in found
    ]


def _whole(parsed: TolerantParser, cursor: CursorContext) -> Node | None:
    """Return the document of the cursor, including the text after the cursor if it still exists."""
    return parsed.roots[cursor.document] if cursor.document < len(parsed.roots) else cursor.root


def _taken(parsed: TolerantParser, cursor: CursorContext) -> frozenset[str]:
    """Return the keys of the mapping at the cursor, above and below it."""
    node = _whole(parsed, cursor)
    for step in cursor.path:
        if node is None:
            break
        if isinstance(step, str):
            node = node.get(step)
        else:
            node = node.entries[step].value if step < len(node.entries) else None
    below = node.keys if node is not None else frozenset()
    return below | cursor.present


def _is_flow(before: str) -> bool:
    return before.count("[") > before.count("]") or before.count("{") > before.count("}")
