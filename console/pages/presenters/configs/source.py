"""Numbered lines of a config text, with highlighted keys and comments, in parts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Final

from django.utils.safestring import SafeString

from console.engine.model.origin import lines_of

#: Number of lines of a part, which a page loads as a whole.
PART_LINES: Final = 500

#: The value of a page's parameter ``lines`` that loads all parts.
ALL: Final = "all"

_LINE = re.compile(r"(?P<lead>\s*(?:- )*)(?:(?P<comment>#.*)|(?P<key>[\w.-]+:)(?P<rest>(?: .*)?))$")


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceLine:
    """One line of a text, counted from 1; the concatenated parts are the line."""

    number: int
    lead: str = ""
    key: str = ""
    rest: str = ""
    comment: str = ""

    @property
    def html(self) -> SafeString:
        """The HTML of the line; rendering thousands of lines by templates takes half a second."""
        key = f"<b>{escape(self.key)}</b>" if self.key else ""
        comment = f"<i>{escape(self.comment)}</i>" if self.comment else ""
        return SafeString(
            f'<div class="source__line" id="L{self.number}">'
            f'<a class="source__number" href="#L{self.number}">{self.number}</a>'
            f'<code class="source__text">{escape(self.lead)}{key}{escape(self.rest)}{comment}'
            "</code></div>"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePart:
    """The lines from *first* to *last* of a text; unless *is_loaded*, only a link to them."""

    first: int
    last: int
    is_loaded: bool


def source_lines(text: str, part: SourcePart) -> list[SourceLine]:
    """Return the lines of *part* of *text*."""
    lines = lines_of(text)[part.first - 1 : part.last]
    return [_line(number, line) for number, line in enumerate(lines, start=part.first)]


def source_parts(text: str, chosen: str = "") -> Iterator[SourcePart]:
    """
    Yield the parts of *text*, of which one is loaded: the one with the line *chosen*.

    `ALL` loads every part. Without such a line, the first part is loaded.
    """
    total = len(lines_of(text))
    is_number = chosen.isascii() and chosen.isdigit() and len(chosen) < 10
    line = int(chosen) if is_number and 1 <= int(chosen) <= total else 1
    for first in range(1, total + 1, PART_LINES):
        last = min(first + PART_LINES - 1, total)
        yield SourcePart(first=first, last=last, is_loaded=chosen == ALL or first <= line <= last)


def _line(number: int, line: str) -> SourceLine:
    found = _LINE.match(line)
    if found is None:
        return SourceLine(number=number, rest=line)
    parts = {name: part or "" for name, part in found.groupdict().items()}
    return SourceLine(number=number, **parts)
