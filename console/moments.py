"""Moments as text: in files, in the API, in the chain of audit entries, and of a database."""

from __future__ import annotations

from datetime import UTC, datetime


def written(moment: datetime) -> str:
    """
    Return *moment* as ISO 8601 in UTC, to the microsecond.

    >>> written(datetime(2026, 1, 31, 12, 0, 0, 250000, tzinfo=UTC))
    '2026-01-31T12:00:00.250000Z'
    """
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def moment_of(text: str) -> datetime:
    """
    Return the moment that a database gives as *text*; one without an offset is in UTC.

    Where there are thousands, this costs far less than letting Django read them.

    >>> moment_of("2026-01-31 12:00:00").isoformat()
    '2026-01-31T12:00:00+00:00'
    """
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
