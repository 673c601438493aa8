"""Forget events that are older than the settings keep them."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

from django.utils import timezone

from console.retention.models import Kind
from console.retention.note import note
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
    forgotten: Counter[int] = Counter()
    for _ in range(_MOST // BATCH):
        oldest = Event.objects.order_by("pk").values_list("pk", "org_id", "created_at")[:BATCH]
        old = {pk: org_id for pk, org_id, created_at in oldest if created_at < limit}
        Event.objects.filter(pk__in=list(old)).delete()
        forgotten.update(old.values())
        if len(old) < BATCH:
            break
    return note(Kind.EVENTS, forgotten)
