"""Diagnostics: findings about one place of a config text, with severity, hint and fixes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from console.engine.model.origin import Origin


class Severity(StrEnum):
    """The severity of a finding: an error prevents an apply, and a warning needs attention."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True, slots=True)
class TextEdit:
    """A replacement of the text of a span; an empty span inserts."""

    span: Origin
    new_text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A repair that can be applied directly: a title in the imperative, and its edits."""

    title: str
    edits: tuple[TextEdit, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """One finding about one place of a config text."""

    #: Never changes: three letters for the owner, three digits (NAT012).
    code: str
    severity: Severity
    #: One sentence with the values involved.
    message: str
    #: Place in the document: resource_queues[0].resource_groups[1].flavors[0].name
    path: str
    span: Origin
    #: One line about how to repair the problem, or "".
    hint: str = ""
    fixes: tuple[Fix, ...] = ()
    #: Whether it depends on more than the text (live workloads, recorded workloads, earlier
    #: versions), so that it can appear and disappear while the text stays the same.
    is_live: bool = False
    #: The message of the scheduler that the language comes from, word for word; "" if it has none.
    original: str = ""
    #: The object, if the fixes are for all of it: an editor offers them at any place in it.
    scope: Origin | None = None

    def to_json(self, codes_url: str = "") -> dict[str, Any]:
        """
        Return the finding in the format of the API and the editor.

        *codes_url* is the URL of the page about all codes; without one, `doc_url` is null.
        """
        return {
            "code": self.code,
            "severity": self.severity.value,
            "message": self.message,
            "path": self.path,
            "range": span_to_json(self.span),
            "scope": span_to_json(self.scope) if self.scope is not None else None,
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
            "original": self.original,
        }


def doc_url(codes_url: str, code: str) -> str:
    """Return the URL of the entry of *code* on the page about all codes."""
    return f"{codes_url}#{code}"


def span_to_json(span: Origin) -> dict[str, int]:
    """Return a span in the format of the API; lines and columns count from 1."""
    return {
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
    }
