"""Forget events that are older than the settings keep them."""

from __future__ import annotations

import time
from collections import Counter

from django.utils import timezone

from console.retention.deletion_age import row_deletion_age
from console.retention.models import Kind
from console.retention.record_deletions import record_deletions
from console.retention.write_pauses import pause_after
from console.workloads.models import Event

#: Rows of one statement, so that other writers need not wait long.
BATCH = 500


def forget_events(days: int, seconds: float = 0.5) -> int:
    """
    Delete what happened more than *days* ago, 0 for nothing; return how many events.

    After each batch as much time passes for others as it took. After about *seconds* no further
    one begins, for the same worker decides, too: what is left goes with the next call.
    """
    if not days:
        return 0
    limit = timezone.now() - row_deletion_age(days)
    deadline = time.monotonic() + seconds
    forgotten: Counter[int] = Counter()
    rows = Event.objects.order_by("pk").values_list("pk", "org_id", "created_at")
    # Behind what went before: an index leads past rows that are gone only once it was vacuumed.
    last = 0
    while True:
        with pause_after():
            oldest = list(rows.filter(pk__gt=last)[:BATCH])
            old = {pk: org_id for pk, org_id, created_at in oldest if created_at < limit}
            Event.objects.filter(pk__in=list(old)).delete()
        forgotten.update(old.values())
        if not old or time.monotonic() >= deadline:
            break
        last = oldest[-1][0]
    return record_deletions(Kind.EVENTS, forgotten)
