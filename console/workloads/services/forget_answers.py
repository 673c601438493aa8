"""Delete expired responses to requests with an Idempotency-Key."""

from __future__ import annotations

from collections import Counter

from django.utils import timezone

from console.retention.models import Kind
from console.retention.record_deletions import record_deletions
from console.retention.write_pauses import pause_after
from console.workloads.models import IdempotentAnswer
from console.workloads.retention import ANSWERS_KEPT

#: Maximum number of rows per statement, so that other writers wait only briefly.
_ROWS = 1000


def forget_answers() -> int:
    """Delete the answers older than `ANSWERS_KEPT`, and return their number."""
    limit = timezone.now() - ANSWERS_KEPT
    forgotten: Counter[int] = Counter()
    while True:
        rows = IdempotentAnswer.objects.order_by("pk").values_list("pk", "org_id", "created_at")
        with pause_after():
            old = {pk: org_id for pk, org_id, created_at in rows[:_ROWS] if created_at < limit}
            IdempotentAnswer.objects.filter(pk__in=list(old)).delete()
        forgotten.update(old.values())
        if len(old) < _ROWS:
            return record_deletions(Kind.ANSWERS, forgotten)
