"""Forget deliveries that are older than the settings keep them."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

from django.utils import timezone

from console.retention.models import Kind
from console.retention.note import note
from console.webhooks.models import Attempt, Delivery

#: Deliveries of one statement, so that other writers need not wait long, and of one call.
BATCH = 200
_MOST = 2_000


def forget_deliveries(days: int) -> int:
    """
    Delete what was written more than *days* ago and waits no more; return how many deliveries.

    What is more than one call deletes goes with the next.
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
    return note(Kind.DELIVERIES, forgotten)
