"""Forget events that are older than the settings keep them."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from console.workloads.models import Event

#: Rows of one statement, so that other writers need not wait long.
BATCH = 500

#: Rows of one call, so that whoever shares the worker need not wait either.
_MOST = 5_000


def forget_events(days: int) -> int:
    """
    Delete what happened more than *days* ago, 0 for nothing; return how many events.

    What is more than one call deletes goes with the next.
    """
    if not days:
        return 0
    limit = timezone.now() - timedelta(days=days)
    forgotten = 0
    for _ in range(_MOST // BATCH):
        oldest = Event.objects.order_by("pk").values_list("pk", "created_at")[:BATCH]
        old = [pk for pk, created_at in oldest if created_at < limit]
        Event.objects.filter(pk__in=old).delete()
        forgotten += len(old)
        if len(old) < BATCH:
            break
    return forgotten
