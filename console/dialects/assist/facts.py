"""Facts: what the schema states about one place of a document, for completion and help."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from console.dialects.assist.schemas import Schema, describe


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Schema facts about the value at one place."""

    description: str = ""
    #: JSON types without null: "object", "array", "string", "number", "integer", "boolean".
    types: tuple[str, ...] = ()
    #: The accepted words; empty if other words are accepted too.
    choices: tuple[str, ...] = ()
    #: Example values.
    examples: tuple[str, ...] = ()
    default: str = ""
    minimum: float | None = None
    maximum: float | None = None
    #: The kind of object that the value names; empty if it names none.
    refers_to: str = ""

    @property
    def is_collection(self) -> bool:
        """Whether the value is a mapping or a list."""
        return bool(self.types) and set(self.types) <= {"object", "array"}


def facts_of(schemas: Sequence[Schema]) -> Facts:
    """Return the combined facts of *schemas*, which all apply to one place."""
    found = list(schemas)
    choices: dict[str, None] = {}
    for schema in found:
        for value in schema.get("enum", ()):
            if value is not None:
                choices.setdefault(_word(value))
    default = describe(found, "default")
    return Facts(
        description=describe(found, "description") or "",
        types=_types(found),
        choices=tuple(choices),
        examples=tuple(map(_word, describe(found, "examples") or ())),
        default="" if default is None else _word(default),
        minimum=describe(found, "minimum"),
        maximum=describe(found, "maximum"),
        refers_to=describe(found, "x-refers-to") or "",
    )


def _types(schemas: list[Schema]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for schema in schemas:
        kind = schema.get("type", ())
        for each in (kind,) if isinstance(kind, str) else kind:
            if each != "null":
                found.setdefault(each)
        if not kind and "items" in schema:
            found.setdefault("array")
        if not kind and "properties" in schema:
            found.setdefault("object")
    return tuple(found)


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
