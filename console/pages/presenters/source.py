"""Config text as numbered lines, with keys and comments set apart for the eye."""

from __future__ import annotations

import re
from dataclasses import dataclass

from console.engine.origin import lines_of

_LINE = re.compile(r"(?P<lead>\s*(?:- )*)(?:(?P<comment>#.*)|(?P<key>[\w.-]+:)(?P<rest>(?: .*)?))$")


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceLine:
    """One line of a text, counted from 1; the parts together are the line."""

    number: int
    lead: str = ""
    key: str = ""
    rest: str = ""
    comment: str = ""


def source_lines(text: str) -> list[SourceLine]:
    """Return the lines of *text*."""
    return [_line(number, line) for number, line in enumerate(lines_of(text), start=1)]


def _line(number: int, line: str) -> SourceLine:
    found = _LINE.match(line)
    if found is None:
        return SourceLine(number=number, rest=line)
    parts = {name: part or "" for name, part in found.groupdict().items()}
    return SourceLine(number=number, **parts)
