"""Numbers of pending workloads by reason."""

from __future__ import annotations

from collections import Counter

from django.db.models import Sum

from console.orgs.models import Organization
from console.workloads.models import PendingClass, State, Workload

#: Maximum number of workloads without a queue that are counted.
MOST_WITHOUT_QUEUE = 1000


def waiting_reasons(org: Organization, queue: str | None = None) -> dict[str, int]:
    """
    Return the number of pending workloads by reason, most frequent first; in one queue or in all.

    Reads one row for each pending class instead of the workloads.
    """
    classes = PendingClass.objects.filter(org=org)
    if queue is not None:
        classes = classes.filter(queue=queue)
    rows = classes.values_list("reason").annotate(total=Sum("count")).order_by("-total", "reason")
    return dict(rows)


def waiting_without_queue(org: Organization) -> dict[str, int]:
    """
    Return the number of pending workloads without a queue by reason, most frequent first.

    These are in no class, so the newest `MOST_WITHOUT_QUEUE` of them are counted individually,
    including workloads that the engine has not evaluated yet.
    """
    rows = Workload.objects.filter(org=org, queue=None, state=State.PENDING).order_by("-pk")
    reasons = rows.values_list("reason", flat=True)[:MOST_WITHOUT_QUEUE]
    return dict(Counter(reasons).most_common())
