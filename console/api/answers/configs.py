"""Config versions, findings and differences as the API writes them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from console.api.answers.times import time_answer
from console.configs.models import ConfigVersion
from console.dialects.diagnostics import Diagnostic, Severity, span_to_json
from console.engine.diff import Change, DiffRow
from console.engine.origin import Origin


def version_answer(version: ConfigVersion, *, active: int) -> dict[str, Any]:
    """Return a version without its text; *active* is the number of the active one."""
    return {
        "version": version.number,
        "dialect": version.dialect,
        "message": version.message,
        "kind": version.kind,
        "rolled_back_to": version.rolled_back_to,
        "author": version.author,
        "created_at": time_answer(version.created_at),
        "is_active": version.number == active,
    }


def findings_answer(found: Iterable[Diagnostic]) -> dict[str, Any]:
    """Return what was found in a text: what stops an apply, and what only deserves a look."""
    answers = [(each.severity is Severity.ERROR, each.to_json()) for each in found]
    return {
        "diagnostics": [answer for is_error, answer in answers if is_error],
        "lints": [answer for is_error, answer in answers if not is_error],
    }


def change_answer(change: Change) -> dict[str, Any]:
    """Return one difference in meaning."""
    return {
        "kind": change.kind.value,
        "object": change.noun,
        "name": change.name,
        "parts": list(change.parts),
        "range": range_answer(change.origin),
    }


def diff_row_answer(row: DiffRow) -> dict[str, Any]:
    """Return one row of a text diff."""
    return {"kind": row.kind.value, "old": row.old, "new": row.new, "text": row.text}


def range_answer(origin: Origin | None) -> dict[str, int] | None:
    """Return a place in the text, or None."""
    return span_to_json(origin) if origin else None
