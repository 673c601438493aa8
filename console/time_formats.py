"""Conversion of times: ISO 8601 text for API, files and audit chain, and engine milliseconds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def to_iso(moment: datetime) -> str:
    """
    Return *moment* as ISO 8601 in UTC, to the microsecond.

    >>> to_iso(datetime(2026, 1, 31, 12, 0, 0, 250000, tzinfo=UTC))
    '2026-01-31T12:00:00.250000Z'
    """
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def parse_time(text: str) -> datetime:
    """
    Return the time that a database returned as *text*, which is in UTC if it has no offset.

    For thousands of rows, this costs far less than Django's conversion.

    >>> parse_time("2026-01-31 12:00:00").isoformat()
    '2026-01-31T12:00:00+00:00'
    """
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def milliseconds(moment: datetime) -> int:
    """
    Return *moment* in the unit of the engine: whole milliseconds since 1970 in UTC.

    >>> milliseconds(datetime(2026, 1, 31, 12, 0, 0, 250999, tzinfo=UTC))
    1769860800250
    """
    return (moment - _EPOCH) // timedelta(milliseconds=1)


def from_milliseconds(time: int) -> datetime:
    """
    Return the moment of a time of the engine, in milliseconds since 1970 in UTC.

    >>> from_milliseconds(1769860800250).isoformat()
    '2026-01-31T12:00:00.250000+00:00'
    """
    return _EPOCH + timedelta(milliseconds=time)
