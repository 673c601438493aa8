"""Fixes that add a field to a mapping, in block or flow style."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final, TypeAlias

from console.dialects.findings import Edit, Findings, Place, Repair

#: Numbers of a resource that a fix adds, or several resources.
Numbers: TypeAlias = "Mapping[str, int | Numbers]"
_BLANKS: Final = " -"


def add_fields(
    findings: Findings, mapping: Place, fields: Mapping[str, int | Numbers], title: str
) -> tuple[Repair, ...]:
    """
    Return the repair that adds *fields* at the beginning of the mapping at a place.

    Nothing if the mapping is written in a way that allows no simple edit.
    """
    text = findings.positions.text
    start = mapping.start
    if text.startswith("{", start):
        is_empty = text[start + 1 : mapping.end].lstrip().startswith("}")
        added = ", ".join(f'"{key}": {json.dumps(value)}' for key, value in fields.items())
        added += "" if is_empty else ", "
        return (Repair(title, (Edit(start + 1, start + 1, added),)),)
    line = max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1
    before = text[line:start]
    if before.strip(_BLANKS) or not text[start : start + 1].isalpha():
        return ()
    indent = " " * len(before)
    added = "".join(f"{key}: {_flow(value)}\n{indent}" for key, value in fields.items())
    return (Repair(title, (Edit(start, start, added),)),)


def _flow(value: int | Numbers) -> str:
    if isinstance(value, int):
        return str(value)
    return "{" + ", ".join(f"{key}: {_flow(each)}" for key, each in value.items()) + "}"
