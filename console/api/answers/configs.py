"""Config versions, findings and differences as the API writes them."""

from __future__ import annotations

from typing import Any

from console.api.answers.times import time_answer
from console.configs.models import ConfigVersion
from console.engine.diff import Change, DiffRow
from console.dialects.base import Reading
from console.dialects.diagnostics import Severity, span_to_json
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


def findings_answer(reading: Reading) -> dict[str, Any]:
    """Return what was found in a text: what stops an apply, and what only deserves a look."""
    errors = [d.to_json() for d in reading.diagnostics if d.severity is Severity.ERROR]
    lints = [d.to_json() for d in reading.diagnostics if d.severity is not Severity.ERROR]
    return {"diagnostics": errors, "lints": lints}


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
