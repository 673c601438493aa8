"""The beat scheduler, which skips messages to queues that no worker reads."""

from __future__ import annotations

from typing import Any

from celery.beat import PersistentScheduler, ScheduleEntry

from console.celery import COMMON
from console.queue_backlog import is_full


class BacklogAwareScheduler(PersistentScheduler):
    """Beat scheduler that sends nothing to a full queue: every periodic task is due again soon."""

    def apply_async(self, entry: ScheduleEntry, *args: Any, **kwargs: Any) -> Any:
        """Send the message of *entry*, unless its queue is full."""
        # Entries that Celery adds have no queue and use the default.
        if is_full(entry.options.get("queue", COMMON)):
            return None
        return super().apply_async(entry, *args, **kwargs)
