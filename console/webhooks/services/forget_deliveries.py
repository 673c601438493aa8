"""Delete expired deliveries."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

from django.utils import timezone

from console.retention.models import Kind
from console.retention.record_deletions import record_deletions
from console.webhooks.models import Attempt, Delivery

#: Maximum number of deliveries of one statement, so that other writers do not wait long, and of one
#: call.
BATCH = 200
_MOST = 2_000


def forget_deliveries(days: int) -> int:
    """
    Delete ended deliveries older than *days*; return their number.

    The next call continues after the maximum of one call.
    """
    limit = timezone.now() - timedelta(days=days)
    over = Delivery.objects.filter(created_at__lt=limit).exclude(state=Delivery.State.WAITING)
    forgotten: Counter[int] = Counter()
    while forgotten.total() < _MOST:
        oldest = over.order_by("created_at").values_list("pk", "webhook__org_id")
        keys = dict(oldest[:BATCH])
        Attempt.objects.filter(delivery__in=list(keys)).delete()
        Delivery.objects.filter(pk__in=list(keys)).delete()
        forgotten.update(keys.values())
        if len(keys) < BATCH:
            break
    return record_deletions(Kind.DELIVERIES, forgotten)
