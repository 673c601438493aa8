"""Celery tasks of webhooks; each calls one service."""

from __future__ import annotations

from celery import shared_task
from django.conf import settings

from console.webhooks import wakeup
from console.webhooks.services.deliver_due import deliver_due, due_webhooks, has_due
from console.webhooks.services.forget_deliveries import forget_deliveries

#: Maximum number of webhooks that one sweep wakes up; the next sweep continues.
_MOST = 500


@shared_task(name=wakeup.DELIVER)
def deliver(webhook_id: int) -> None:
    """Send the due deliveries of one webhook, and enqueue another task if some are left."""
    wakeup.received(webhook_id)
    if deliver_due(webhook_id) and has_due(webhook_id):
        wakeup.send([webhook_id])


@shared_task(name="console.webhooks.tasks.sweep")
def sweep() -> None:
    """Send wakeups for all webhooks with due deliveries, for retries and lost wakeups."""
    wakeup.send(due_webhooks(_MOST))


@shared_task(name="console.webhooks.tasks.forget")
def forget() -> None:
    """Delete some of the expired deliveries; the task runs often."""
    forget_deliveries(settings.WEBHOOK_RETENTION_DAYS)
