"""Delete events older than the configured retention."""

from __future__ import annotations

import time
from collections import Counter

from django.utils import timezone

from console.retention.deletion_age import row_deletion_age
from console.retention.models import Kind
from console.retention.record_deletions import record_deletions
from console.retention.write_pauses import pause_after
from console.workloads.models import Event

#: Maximum number of rows per statement, so that other writers wait only briefly.
BATCH = 500


def forget_events(days: int, seconds: float = 0.5) -> int:
    """
    Delete events older than *days*, none for 0, and return their number.

    After each batch there is a pause of the same duration for other writers. After about *seconds*
    no batch is started, because the same worker also runs engines: the next call continues.
    """
    if not days:
        return 0
    limit = timezone.now() - row_deletion_age(days)
    deadline = time.monotonic() + seconds
    forgotten: Counter[int] = Counter()
    rows = Event.objects.order_by("pk").values_list("pk", "org_id", "created_at")
    # Continue after the last key: index entries of deleted rows are scanned until a vacuum.
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
