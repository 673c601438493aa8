"""Diagnostics: findings about one place of a config text, as values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from console.engine.model.origin import Origin


class Severity(StrEnum):
    """An error prevents an apply, a warning needs attention, an info does not."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True, slots=True)
class TextEdit:
    """Replace the text of a span; an empty span inserts."""

    span: Origin
    new_text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A repair that can be applied as it is: a title in the imperative and the edits it makes."""

    title: str
    edits: tuple[TextEdit, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """One finding about one place of a config text."""

    #: Stable for ever: three letters for the owner, three digits (NAT012).
    code: str
    severity: Severity
    #: One sentence that names the values involved.
    message: str
    #: Place in the document: resource_queues[0].resource_groups[1].flavors[0].name
    path: str
    span: Origin
    #: One line that says how to repair it, or nothing.
    hint: str = ""
    fixes: tuple[Fix, ...] = ()
    #: Whether it depends on more than the text (what runs, what ran, what was applied before), so
    #: that it may come and go while the text stays.
    is_live: bool = False

    def to_json(self, codes_url: str = "") -> dict[str, Any]:
        """
        Return the finding as the API and the editor read it.

        *codes_url* is the address of the page about all codes; without one nothing says where
        the code is explained.
        """
        return {
            "code": self.code,
            "severity": self.severity.value,
            "message": self.message,
            "path": self.path,
            "range": span_to_json(self.span),
            "hint": self.hint,
            "fixes": [
                {
                    "title": fix.title,
                    "edits": [
                        {"range": span_to_json(edit.span), "new_text": edit.new_text}
                        for edit in fix.edits
                    ],
                }
                for fix in self.fixes
            ],
            "doc_url": doc_url(codes_url, self.code) if codes_url else None,
            "live": self.is_live,
        }


def doc_url(codes_url: str, code: str) -> str:
    """Return where *code* is explained on the page about all codes."""
    return f"{codes_url}#{code}"


def span_to_json(span: Origin) -> dict[str, int]:
    """Return a span as the API writes it; lines and columns count from 1."""
    return {
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
    }
