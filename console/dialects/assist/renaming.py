"""Rename objects in a text: their own names, and every place that refers to them."""

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
    Return *text*, of *dialect*, with other names in it: by kind of object, newer by older ones.

    Nothing else changes, and no line comes or goes. What the schema of the language does not
    know to be a name stays as it is, and so does a text that is too long to be assisted in, so
    that whoever needs all of it renamed reads what comes out.
    """
    found = assist(dialect, text).names
    edits = {
        Origin(each.line, each.column, each.line, each.end_column): write_text(new)
        for each in (*found.definitions, *found.references)
        # A schema says what a kind is called.
        if (new := names.get(each.kind.replace(" ", "_"), {}).get(each.name)) is not None
    }
    return apply_fix(text, Fix("", tuple(TextEdit(span, new) for span, new in edits.items())))
