"""Repairs for findings: replacements of a misspelled or invalid text."""

from __future__ import annotations

import re
from collections.abc import Collection

from console.dialects.findings import Edit, Findings, Place, Repair
from console.dialects.scalars import write_text
from console.dialects.wording import shorten
from console.engine.wording.suggest import nearest


def suggest(findings: Findings, word: str, choices: Collection[str]) -> str | None:
    """Return the choice nearest to *word*, or None if there is none or the budget is spent."""
    if findings.suggestion_budget < len(choices):
        return None
    findings.suggestion_budget -= len(choices)
    return nearest(word, choices)


def did_you_mean(
    findings: Findings, place: Place, word: str, choices: Collection[str]
) -> tuple[str, tuple[Repair, ...]]:
    """Return hint and repair that replace *word* with the nearest choice, if there is one."""
    best = suggest(findings, word, choices)
    if best is None:
        return "", ()
    return f'Did you mean "{shorten(best)}"?', (replace(place, best),)


def replace(place: Place, text: str, *, number: bool = False) -> Repair:
    """Return the repair that replaces the text at *place* with *text*."""
    edit = Edit(place.start, place.end, text if number else write_text(text))
    return Repair(f'Replace with "{shorten(text)}"', (edit,))


def remove_field(findings: Findings, place: Place, key: str) -> Repair:
    """
    Return the repair that removes the field *key*, whose value is at *place*.

    If the field has a line of its own, the line is removed; otherwise the value becomes null.
    """
    text = findings.positions.text
    first = max(text.rfind("\n", 0, place.start), text.rfind("\r", 0, place.start)) + 1
    opening = rf"[ \t]*[\"']?{re.escape(key)}[\"']?[ \t]*:[ \t]*"
    rest = re.compile(r"[ \t]*(?:[ \t]#[^\r\n]*)?(?:\r\n|\r|\n)").match(text, place.end)
    if rest and re.fullmatch(opening, text[first : place.start]):
        return Repair(f"Remove {key}", (Edit(first, rest.end(), ""),))
    return Repair(f"Remove the value of {key}", (Edit(place.start, place.end, "null"),))
