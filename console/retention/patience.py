"""How much longer rows are kept that may soon go with all of their partition."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.conf import settings

#: Decisions and events wait for the rest of their partition for so long, and go one by one then.
_NUMBERED: Final = timedelta(days=7)


def kept_by_row(days: int) -> timedelta:
    """Return how old rows are deleted one by one of which *days* are kept."""
    kept = timedelta(days=days)
    return kept + _NUMBERED if settings.PARTITION_ROWS else kept
