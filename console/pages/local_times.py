"""Times that people type: the zone in which forms read them."""

from __future__ import annotations

from datetime import datetime, tzinfo
from zoneinfo import ZoneInfo

from console.errors import BadRequest, FieldError
from console.orgs.permissions import Actor


def zone_of(actor: Actor) -> tzinfo:
    """Return the zone in which forms of *actor* read times: that of all times on pages, UTC."""
    return ZoneInfo("UTC")


def read_local(actor: Actor, typed: str, field: str) -> datetime | None:
    """
    Return the time *typed* in a datetime-local input by *actor*; None if it is empty.

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
    return found if found.tzinfo else found.replace(tzinfo=zone_of(actor))
