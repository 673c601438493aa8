"""The clock: what beat sends by the schedule."""

from __future__ import annotations

from typing import Any

from celery.beat import PersistentScheduler, ScheduleEntry

from console.celery import COMMON
from console.piles import is_pile


class Clock(PersistentScheduler):
    """Sends nothing to a queue from which nobody takes: what it asks for is due again soon."""

    def apply_async(self, entry: ScheduleEntry, *args: Any, **kwargs: Any) -> Any:
        """Send the message of *entry*, or none."""
        # What Celery adds by itself goes to its default.
        if is_pile(entry.options.get("queue", COMMON)):
            return None
        return super().apply_async(entry, *args, **kwargs)
