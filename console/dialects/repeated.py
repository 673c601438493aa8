"""Duplicate texts: names of a list, and items of a list."""

from __future__ import annotations

from collections.abc import Iterable

from console.dialects.codes import Code
from console.dialects.findings import Findings
from console.dialects.wording import shorten
from console.dialects.written import Written


def note_repeated(
    findings: Findings, code: Code, texts: Iterable[Written[str]], what: str
) -> dict[str, Written[str]]:
    """Report every text that occurs again; return the first occurrence of each."""
    first: dict[str, Written[str]] = {}
    for text in texts:
        if text.value not in first:
            first[text.value] = text
            continue
        start = first[text.value].place.start
        line = findings.positions.line_words(start)
        findings.add(
            code,
            text.place,
            f'{what} "{shorten(text.value)}" is already used on {line}.',
            "Rename or remove one of the two.",
        )
    return first
