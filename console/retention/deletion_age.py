"""The extension of retention periods for rows that can soon be dropped with their partition."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.conf import settings

#: How long expired decisions and events wait for the rest of their partition before they are
#: deleted row by row.
_NUMBERED: Final = timedelta(days=7)


def row_deletion_age(days: int) -> timedelta:
    """Return the age at which rows kept for *days* are deleted row by row."""
    kept = timedelta(days=days)
    return kept + _NUMBERED if settings.PARTITION_ROWS else kept
