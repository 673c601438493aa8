"""Moments as the API writes them."""

from __future__ import annotations

from datetime import UTC, datetime


def time_answer(moment: datetime | None) -> str | None:
    """
    Return *moment* as ISO 8601 in UTC; None stays None.

    >>> time_answer(datetime(2026, 1, 31, 12, 0, 0, 250000, tzinfo=UTC))
    '2026-01-31T12:00:00.250000Z'
    """
    if moment is None:
        return None
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
