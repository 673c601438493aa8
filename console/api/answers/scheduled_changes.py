"""Response bodies of scheduled changes."""

from __future__ import annotations

from typing import Any

from console.api.answers.times import time_answer
from console.configs.models import ScheduledChange


def scheduled_answer(change: ScheduledChange) -> dict[str, Any]:
    """Return a scheduled change without its text."""
    is_end = change.kind == ScheduledChange.Kind.END
    owner = {"kind": change.owner_kind, "name": change.owner_name} if is_end else None
    return {
        "id": change.pk,
        "kind": change.kind,
        "state": change.state,
        "due_at": time_answer(change.due_at),
        "author": change.author,
        "message": change.message,
        "created_at": time_answer(change.created_at),
        "version": change.version,
        "ended_at": time_answer(change.ended_at),
        "ended_by": change.ended_by or None,
        "problem": change.problem or None,
        "begun_by": change.begun_by,
        "review": change.review_id,
        "object": owner,
        "numbers": change.numbers,
        "draft": change.draft_id,
        "base": None if is_end else change.base,
        "accept": change.accept,
    }


def full_scheduled_answer(change: ScheduledChange) -> dict[str, Any]:
    """Return a scheduled change with the text that it applies."""
    is_end = change.kind == ScheduledChange.Kind.END
    return {
        **scheduled_answer(change),
        "dialect": None if is_end else change.dialect,
        "text": None if is_end else change.text,
    }
