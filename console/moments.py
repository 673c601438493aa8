"""Moments as files, the API and the chain of audit entries write them."""

from __future__ import annotations

from datetime import UTC, datetime


def written(moment: datetime) -> str:
    """
    Return *moment* as ISO 8601 in UTC, to the microsecond.

    >>> written(datetime(2026, 1, 31, 12, 0, 0, 250000, tzinfo=UTC))
    '2026-01-31T12:00:00.250000Z'
    """
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
