"""Set the timer that reverts an apply unless it is confirmed in time."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from console.configs.models import ConfigVersion, RevertTimer
from console.errors import BadRequest, FieldError

#: Minimum and maximum time to confirm.
SHORTEST = timedelta(minutes=1)
LONGEST = timedelta(days=1)

_FIELD = "revert_after_minutes"


def read_revert_after(revert_after: timedelta | None, expected: int) -> timedelta | None:
    """
    Return *revert_after* if there is a version *expected* to restore.

    Raises BadRequest if it is shorter than a minute or longer than a day, and before the first
    version.
    """
    if revert_after is None:
        return None
    if not expected:
        message = "There is no earlier version to roll back to."
        raise BadRequest([FieldError(_FIELD, "no_version_before", message)])
    if not SHORTEST <= revert_after <= LONGEST:
        message = "The time to confirm must be 1 to 1440 minutes."
        raise BadRequest([FieldError(_FIELD, "out_of_range", message)])
    return revert_after


def replace_timer(
    version: ConfigVersion, before: int, revert_after: timedelta | None
) -> RevertTimer | None:
    """
    Delete the current timer, and create that of *version*, which would restore *before*.

    Part of the transaction that activates *version*. Returns the new timer, or None.
    """
    RevertTimer.objects.filter(org=version.org).delete()
    if revert_after is None:
        return None
    return RevertTimer.objects.create(
        org=version.org,
        version=version.number,
        back_to=before,
        due_at=timezone.now() + revert_after,
        author=version.author,
    )
