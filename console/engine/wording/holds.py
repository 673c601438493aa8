"""Sentences about events that hold and resume queues."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any


def minute_in_utc(moment: datetime) -> str:
    """
    Return a time to the minute.

    >>> minute_in_utc(datetime.fromisoformat("2026-01-31T12:00:00+01:00"))
    '2026-01-31 11:00 UTC'
    """
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def hold_event(
    kind: str, data: Mapping[str, Any], time_text: Callable[[datetime], str] = minute_in_utc
) -> str:
    """
    Return the sentence about a hold event, from its type and its stored data.

    *time_text* returns the text of a time.

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
        end = f" until {time_text(datetime.fromisoformat(until))}" if until else ""
        if before := data.get("instead_of"):
            return f"Queue {queue} replaces queue {before} and stays held{end}{suffix}."
        return f"Queue {queue} is held{end}{suffix}."
    if until:
        end = time_text(datetime.fromisoformat(until))
        return f"Queue {queue} was resumed: its hold ended at {end}."
    return f"Queue {queue} was resumed{suffix}."
