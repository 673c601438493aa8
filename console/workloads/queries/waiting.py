"""Why work waits, as counts by reason."""

from __future__ import annotations

from django.db.models import Sum

from console.orgs.models import Organization
from console.workloads.models import PendingClass


def waiting_reasons(org: Organization, queue: str | None = None) -> dict[str, int]:
    """
    Return how many workloads wait for each reason, most first; in one queue or in all.

    Reads one row for each class of alike workloads, never the workloads.
    """
    classes = PendingClass.objects.filter(org=org)
    if queue is not None:
        classes = classes.filter(queue=queue)
    rows = classes.values_list("reason").annotate(total=Sum("count")).order_by("-total", "reason")
    return dict(rows)
