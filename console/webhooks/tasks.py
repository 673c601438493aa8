"""Tasks of webhooks: a few lines each, they call one service."""

from __future__ import annotations

from celery import shared_task
from django.conf import settings

from console.webhooks import wakeup
from console.webhooks.services.deliver_due import deliver_due, due_webhooks, has_due
from console.webhooks.services.forget_deliveries import forget_deliveries

#: Webhooks that one sweep nudges; the next one nudges more.
_MOST = 500


@shared_task(name=wakeup.DELIVER)
def deliver(webhook_id: int) -> None:
    """Send what is due to one webhook, and ask again when time was too short for all of it."""
    wakeup.received(webhook_id)
    if deliver_due(webhook_id) and has_due(webhook_id):
        wakeup.send([webhook_id])


@shared_task(name="console.webhooks.tasks.sweep")
def sweep() -> None:
    """Nudge every webhook to which something is due: retries, and what was left lying."""
    wakeup.send(due_webhooks(_MOST))


@shared_task(name="console.webhooks.tasks.forget")
def forget() -> None:
    """Forget some of the deliveries that are too old: few at a time, for it comes often."""
    forget_deliveries(settings.WEBHOOK_RETENTION_DAYS)
