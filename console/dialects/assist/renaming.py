"""Rename objects in a text: the names in their definitions and in all references."""

from __future__ import annotations

from collections.abc import Mapping

from console.dialects.assist import assist
from console.dialects.base import Dialect
from console.dialects.diagnostics import Fix, TextEdit
from console.dialects.positions import apply_fix
from console.dialects.scalars import write_text
from console.engine.model.origin import Origin


def rename_in(dialect: Dialect, text: str, names: Mapping[str, Mapping[str, str]]) -> str:
    """
    Return *text*, of *dialect*, with objects renamed: *names* maps old to new names, by kind.

    Nothing else changes, and the number of lines stays the same. A name that the schema does not
    mark as one stays as it is, and so does a text longer than the limit of `assist`. A caller that
    needs every name to be replaced has to read the result.
    """
    found = assist(dialect, text).names
    edits = {
        Origin(each.line, each.column, each.line, each.end_column): write_text(
            new.rpartition(".")[2] if each.is_last_part else new
        )
        for each in (*found.definitions, *found.references)
        # In a schema, a kind is written with spaces.
        if (new := names.get(each.kind.replace(" ", "_"), {}).get(each.name)) is not None
    }
    return apply_fix(text, Fix("", tuple(TextEdit(span, new) for span, new in edits.items())))
