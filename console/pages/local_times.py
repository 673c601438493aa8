"""Times that people type in forms."""

from __future__ import annotations

from datetime import UTC, datetime

from console.errors import BadRequest, FieldError


def read_local(typed: str, field: str) -> datetime | None:
    """
    Return the time *typed* in a datetime-local input, in UTC like all times; None if it is empty.

    Raises BadRequest at *field* if it is not a time.
    """
    if not typed.strip():
        return None
    try:
        found = datetime.fromisoformat(typed.strip())
    except ValueError:
        found = None
    if found is None or not 1970 <= found.year <= 9000:
        message = "Enter a date and a time, such as 2026-01-31T18:00."
        raise BadRequest([FieldError(field, "invalid_time", message)])
    return found if found.tzinfo else found.replace(tzinfo=UTC)
