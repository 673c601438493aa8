"""Insertions: where a text takes a field that one of its mappings does not have yet."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from console.dialects.diagnostics import TextEdit
from console.dialects.findings import Place
from console.dialects.positions import Positions
from console.dialects.scalars import write_text
from console.engine.model.origin import Origin

#: What is before a field of a block mapping on its line.
_BLANKS: Final = " -"
_LINE_END: Final = re.compile(r"\r\n|\r|\n")
#: The rest of a line behind a value.
_REST: Final = re.compile(r"[ \t]*(?:[ \t]#[^\r\n]*)?(?=[\r\n]|\Z)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Insertion:
    """A place for a new field, without its value."""

    span: Origin
    before: str
    key: str

    def edit(self, value: str) -> TextEdit:
        """Return the edit that adds the field with *value*, which is YAML."""
        return TextEdit(self.span, f"{self.before}{self.key}: {value}")


def insertion_of(positions: Positions, mapping: Place, key: str, beside: Place) -> Insertion | None:
    """
    Return where the mapping at a place takes the field *key*: behind the value at *beside*.

    None if the mapping is written in a way that allows no simple edit.
    """
    text = positions.text
    is_inside = mapping.start <= beside.start < beside.end <= mapping.end
    if not is_inside or _LINE_END.search(text, beside.start, beside.end):
        return None
    if text.startswith("{", mapping.start):
        return Insertion(
            span=positions.span(beside.end, beside.end), before=", ", key=write_text(key)
        )
    line = max(text.rfind("\n", 0, mapping.start), text.rfind("\r", 0, mapping.start)) + 1
    indent = text[line : mapping.start]
    rest = _REST.match(text, beside.end)
    if indent.strip(_BLANKS) or rest is None:
        return None
    end = _LINE_END.search(text)
    return Insertion(
        span=positions.span(rest.end(), rest.end()),
        before=f"{end.group() if end else chr(10)}{' ' * len(indent)}",
        key=write_text(key),
    )
