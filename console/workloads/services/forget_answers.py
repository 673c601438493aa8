"""Forget answers to requests with an Idempotency-Key that nobody will send again."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from console.workloads.models import IdempotentAnswer

#: How long a request may be sent again.
KEPT = timedelta(days=7)

#: Rows of one statement, so that other writers need not wait long.
_ROWS = 1000


def forget_answers() -> int:
    """Delete the answers older than `KEPT`; return how many there were."""
    limit = timezone.now() - KEPT
    forgotten = 0
    while True:
        oldest = IdempotentAnswer.objects.order_by("pk").values_list("pk", "created_at")[:_ROWS]
        old = [pk for pk, created_at in oldest if created_at < limit]
        IdempotentAnswer.objects.filter(pk__in=old).delete()
        forgotten += len(old)
        if len(old) < _ROWS:
            return forgotten
