"""Completion: the keys, values and names that can be inserted at the cursor."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from console.dialects.assist.facts import Facts, facts_of
from console.dialects.assist.names import Names
from console.dialects.assist.schemas import Schema, properties_of, schemas_at, step_into
from console.dialects.assist.sketch import Node, Sketch, rows_of
from console.dialects.assist.spot import Spot, find_spot
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
    schema: Schema, text: str, read: Sketch, names: Names, line: int, column: int
) -> tuple[Completion, ...]:
    """Return the completions at the cursor, in the order of the schema; *line* counts from 1."""
    spot = find_spot(text, line, column)
    if spot is None:
        return ()
    document = _whole(read, spot)
    schemas = schemas_at(schema, document, spot.path)
    current = rows_of(text)[line - 1]
    behind = current[column - 1 :]
    rest = _REST.match(behind)
    whole = spot.word + (rest[0] if rest else "")

    def known(kind: str) -> list[str]:
        return names.known(kind, line, column)

    if spot.role == "key":
        found = []
        if spot.list_of is not None:
            found += _first_items(schema, schemas_at(schema, document, spot.list_of), known)
        found += _keys(schemas, _taken(read, spot) - {whole}, behind)
    else:
        found = [*_words(schemas, known)]
        if spot.role == "begins":
            found += _keys(schemas, _taken(read, spot) - {whole}, behind)
            if "-" not in current[: column - 1] and not _is_flow(current[: column - 1]):
                found += _first_items(schema, schemas, known)
    typed = spot.word.lower()
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


def _whole(read: Sketch, spot: Spot) -> Node | None:
    """Return the document of the spot with the text after the cursor, if it still exists."""
    return read.roots[spot.document] if spot.document < len(read.roots) else spot.root


def _taken(read: Sketch, spot: Spot) -> frozenset[str]:
    """Return the keys of the mapping at the cursor, above and below it."""
    node = _whole(read, spot)
    for step in spot.path:
        if node is None:
            break
        if isinstance(step, str):
            node = node.get(step)
        else:
            node = node.entries[step].value if step < len(node.entries) else None
    below = node.keys if node is not None else frozenset()
    return below | spot.present


def _is_flow(before: str) -> bool:
    return before.count("[") > before.count("]") or before.count("{") > before.count("}")
