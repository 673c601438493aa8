"""Config text as numbered lines."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SourceLine:
    """One line of a text, counted from 1."""

    number: int
    text: str


def source_lines(text: str) -> list[SourceLine]:
    """Return the lines of *text*."""
    return [SourceLine(i, line) for i, line in enumerate(text.splitlines(), start=1)]
