"""Fixes of configs: fields that are added, and quantities that become a bound."""

from __future__ import annotations

import re
from typing import Final

from console.dialects.findings import Edit, Findings, Place, Repair
from console.dialects.repairs import replace
from console.dialects.yunikorn.quantities import write_quantity
from console.dialects.yunikorn.schema import LimitDoc, QueueDoc, Texts
from console.engine.disciplines.hierarchy.resources import Resources

_BLANKS: Final = " -"
_DASH: Final = re.compile(r"[ \t]*-[ \t]+")
_COMMA: Final = re.compile(r"[ \t]*,[ \t]*")
_LINE_END: Final = re.compile(r"\r\n|\r|\n")
#: The rest of a line behind a value.
_REST: Final = re.compile(r"[ \t]*(?:[ \t]#[^\r\n]*)?(?=[\r\n]|\Z)")


def add_field(
    findings: Findings, mapping: Place, beside: Place | None, key: str, value: str
) -> tuple[Repair, ...]:
    """
    Return the repair that adds a field to the mapping at a place.

    It is added behind the value at *beside*, or at the beginning. Nothing if the mapping is written
    in a way that allows no simple edit.
    """
    text, title = findings.positions.text, f"Add {key}: {value}"
    start = mapping.start
    if text.startswith("{", start):
        is_empty = text[start + 1 : mapping.end].lstrip().startswith("}")
        added = f'"{key}": {value}' + ("" if is_empty else ", ")
        return (Repair(title, (Edit(start + 1, start + 1, added),)),)
    line = max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1
    before = text[line:start]
    if before.strip(_BLANKS) or not text[start : start + 1].isalpha():
        return ()
    indent = " " * len(before)
    rest = None if beside is None else _REST.match(text, beside.end)
    if rest is None or (beside is not None and beside.start < start):
        return (Repair(title, (Edit(start, start, f"{key}: {value}\n{indent}"),)),)
    return (Repair(title, (Edit(rest.end(), rest.end(), f"\n{indent}{key}: {value}"),)),)


def parent_fix(queue: QueueDoc, findings: Findings) -> tuple[Repair, ...]:
    """Return the repair that makes a queue a parent."""
    if queue.parent is not None:
        return (replace(queue.parent.place, "true", number=True),)
    if "parent" in queue.values.keys or queue.is_added:
        return ()
    name = queue.values.get("name")
    return add_field(findings, queue.place, name.place if name else None, "parent", "true")


def applications_fix(limit: LimitDoc, most: int, findings: Findings) -> tuple[Repair, ...]:
    """Return the repair that gives a limit a number of applications."""
    if limit.applications is not None:
        return (replace(limit.applications.place, str(most), number=True),)
    if "maxapplications" in limit.values.keys:
        return ()
    beside = limit.values.get("limit")
    place = beside.place if beside else None
    return add_field(findings, limit.values.place, place, "maxapplications", str(most))


def remove_item(findings: Findings, item: Place) -> tuple[Repair, ...]:
    """Return the repair that removes an item, which is not the only one, from a list of texts."""
    text, title = findings.positions.text, "Remove the name"
    line = max(text.rfind("\n", 0, item.start), text.rfind("\r", 0, item.start)) + 1
    rest = _REST.match(text, item.end)
    if rest is not None and _DASH.fullmatch(text, line, item.start):
        end = _LINE_END.match(text, rest.end())
        return (Repair(title, (Edit(line, end.end() if end else rest.end(), ""),)),)
    comma = _COMMA.match(text, item.end)
    if comma is not None:
        return (Repair(title, (Edit(item.start, comma.end(), ""),)),)
    before = text[line : item.start].rstrip()
    if before.endswith(","):
        return (Repair(title, (Edit(line + len(before) - 1, item.end, ""),)),)
    return ()


def set_amounts(stated: Texts, bound: Resources, title: str) -> tuple[Repair, ...]:
    """Return the repair that replaces quantities by those of *bound*; nothing if none has one."""
    edits = {
        text.place.start: Edit(
            text.place.start, text.place.end, write_quantity(bound[key.value], key.value)
        )
        for key, text in stated
        if key.value in bound
    }
    return (Repair(title, tuple(edits.values())),) if edits else ()
