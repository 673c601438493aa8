"""Retention of deliveries."""

from __future__ import annotations

from django.db.models import OuterRef, Subquery

from console.retention.models import Kind
from console.retention.registry import Retention, Rows, count_rows, register
from console.webhooks.models import Delivery, Webhook


def _deliveries(org_id: int) -> Rows:
    """Return the size of the logs of all webhooks, each read from its end."""
    rows = count_rows(Delivery.objects.filter(webhook__org=org_id), "", "")
    first = Delivery.objects.filter(webhook=OuterRef("pk")).order_by("id").values("created_at")
    webhooks = Webhook.objects.filter(org=org_id).order_by()
    oldest = webhooks.values_list(Subquery(first[:1]), flat=True)
    found = [moment for moment in oldest if moment is not None]
    return Rows(count=rows.count, is_more=rows.is_more, oldest=min(found, default=None))


register(
    Retention(
        kind=Kind.DELIVERIES,
        setting="WEBHOOK_RETENTION_DAYS",
        job="forget deliveries",
        rows=_deliveries,
    ),
)
