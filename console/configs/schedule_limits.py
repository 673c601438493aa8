"""Limits of scheduled changes: their times, and how many an organization may have."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

from django.utils import timezone

from console.configs.queries import coming_changes
from console.errors import BadRequest, Conflict, FieldError
from console.orgs.models import Organization

#: Maximum time from now.
LONGEST: Final = timedelta(days=366)

#: Maximum number of changes that an organization has scheduled at once.
MOST_SCHEDULED: Final = 100


def read_due(due_at: datetime, field: str) -> datetime:
    """Return *due_at* in UTC; raise BadRequest at *field* unless it is within a year from now."""
    now = timezone.now()
    if not now < due_at <= now + LONGEST:
        message = "The time has to be later than now and within a year."
        raise BadRequest([FieldError(field, "out_of_range", message)])
    return due_at.astimezone(UTC)


def require_room(org: Organization) -> None:
    """Raise Conflict (``too_many_scheduled``) if *org* can have no further scheduled change."""
    if coming_changes(org).count() >= MOST_SCHEDULED:
        raise Conflict(
            "too_many_scheduled",
            f"{MOST_SCHEDULED} changes are scheduled, the maximum. Cancel one first.",
        )
