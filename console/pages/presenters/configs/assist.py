"""Help of the config editor: description of a key, completions, references to a name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from console.dialects.assist import Completion, Help, Item, Names, Reference
from console.dialects.assist.facts import Facts
from console.pages.presenters.configs.outline import title_of

#: Maximum number of references in the panel.
MOST_REFERENCES = 30

_TYPES = {
    "object": "A mapping",
    "array": "A list",
    "string": "Text",
    "number": "A number",
    "integer": "A whole number",
    "boolean": "true or false",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A place in the text that the panel links, with a title."""

    line: int
    column: int
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigObject:
    """The object under the cursor: kind, name, its definition, and references to it."""

    kind: str
    name: str
    title: str
    #: The definition; None if the text has none.
    place: Place | None
    references: tuple[Place, ...]
    #: Number of references that are not listed.
    more: int


def fact_lines(facts: Facts, *, is_required: bool = False) -> list[str]:
    """Return sentences about a key or value: description, accepted values, default."""
    lines = [facts.description] if facts.description else []
    if facts.choices:
        lines.append(f"One of: {', '.join(facts.choices)}.")
    elif facts.refers_to:
        lines.append(f"The name of a {facts.refers_to}.")
    elif facts.types:
        lines.append(f"{' or '.join(_TYPES[each] for each in facts.types)}{_range(facts)}.")
    if facts.default:
        lines.append(f"Default: {facts.default}.")
    if is_required:
        lines.append("Required.")
    return lines


def help_json(found: Help) -> dict[str, Any]:
    """Return help as JSON for the editor's script."""
    return {
        "line": found.line,
        "column": found.column,
        "end_column": found.end_column,
        "title": found.key,
        "lines": fact_lines(found.facts),
    }


def completion_json(completion: Completion) -> dict[str, Any]:
    """Return a completion as JSON for the editor's script."""
    return {
        "label": completion.label,
        "insert": completion.insert,
        "kind": "required key" if completion.is_required else completion.kind,
        "lines": fact_lines(completion.facts, is_required=completion.is_required)
        if completion.kind == "key"
        else [],
    }


def object_at(names: Names, found: Help | None, line: int) -> ConfigObject | None:
    """Return the object named at the cursor, else the object that contains the line."""
    if found is not None and found.name:
        return _object(names, found.facts.refers_to, found.name, None)
    item = names.item_at(line)
    return _object(names, item.kind, item.name, item) if item is not None else None


def _object(names: Names, kind: str, name: str, item: Item | None) -> ConfigObject:
    described = item or names.described(kind, name)
    # A rule has no name, so there are no references to it.
    found = names.references_to(kind, name) if described is None or described.is_named else []
    return ConfigObject(
        kind=kind,
        name=name if described is None or described.is_named else "",
        title=title_of(described) if described is not None else name,
        place=Place(line=described.line, column=described.column, title=kind)
        if described is not None
        else None,
        references=tuple(_place(names, each) for each in found[:MOST_REFERENCES]),
        more=max(0, len(found) - MOST_REFERENCES),
    )


def _place(names: Names, reference: Reference) -> Place:
    around = names.item_at(reference.line)
    title = f"{around.kind} {title_of(around)}" if around is not None else reference.name
    return Place(line=reference.line, column=reference.column, title=title)


def _range(facts: Facts) -> str:
    if facts.minimum is None:
        return ""
    if facts.maximum is None:
        return f", at least {facts.minimum:g}"
    return f" from {facts.minimum:,} to {facts.maximum:,}"
