"""Sentences about events that hold and resume queues."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any


def hold_event(kind: str, data: Mapping[str, Any]) -> str:
    """
    Return the sentence about a hold event, from its type and its stored data.

    >>> hold_event("QUEUE_HELD", {"queue": "lab", "reason": "rack down"})
    'Queue lab is held: rack down.'
    >>> hold_event("QUEUE_HELD", {"queue": "lab:v2", "reason": "rack down", "instead_of": "lab"})
    'Queue lab:v2 replaces queue lab and stays held: rack down.'
    >>> hold_event("QUEUE_RESUMED", {"queue": "lab", "until": "2026-01-31T12:00:00+00:00"})
    'Queue lab was resumed: its hold ended at 2026-01-31 12:00 UTC.'
    """
    queue, reason, until = data["queue"], data.get("reason"), data.get("until")
    suffix = f": {reason.rstrip('.')}" if reason else ""
    if kind == "QUEUE_HELD":
        end = f" until {moment_words(until)}" if until else ""
        if before := data.get("instead_of"):
            return f"Queue {queue} replaces queue {before} and stays held{end}{suffix}."
        return f"Queue {queue} is held{end}{suffix}."
    if until:
        return f"Queue {queue} was resumed: its hold ended at {moment_words(until)}."
    return f"Queue {queue} was resumed{suffix}."


def moment_words(moment: str) -> str:
    """
    Return a stored time in UTC, to the minute.

    >>> moment_words("2026-01-31T12:00:00+00:00")
    '2026-01-31 12:00 UTC'
    """
    return f"{datetime.fromisoformat(moment):%Y-%m-%d %H:%M} UTC"
