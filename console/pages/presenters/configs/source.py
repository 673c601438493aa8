"""Numbered lines of a config text, with highlighted keys and comments."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape

from django.utils.safestring import SafeString

from console.engine.model.origin import lines_of

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


def source_lines(text: str) -> list[SourceLine]:
    """Return the lines of *text*."""
    return [_line(number, line) for number, line in enumerate(lines_of(text), start=1)]


def _line(number: int, line: str) -> SourceLine:
    found = _LINE.match(line)
    if found is None:
        return SourceLine(number=number, rest=line)
    parts = {name: part or "" for name, part in found.groupdict().items()}
    return SourceLine(number=number, **parts)
