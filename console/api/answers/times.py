"""Times in responses."""

from __future__ import annotations

from datetime import datetime

from console.time_formats import to_iso


def time_answer(moment: datetime | None) -> str | None:
    """Return *moment* as ISO 8601 in UTC; None stays None."""
    return None if moment is None else to_iso(moment)
