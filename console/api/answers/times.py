"""Times in responses."""

from __future__ import annotations

from datetime import datetime

from console.time_formats import written


def time_answer(moment: datetime | None) -> str | None:
    """Return *moment* as ISO 8601 in UTC; None stays None."""
    return None if moment is None else written(moment)
