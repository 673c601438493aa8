"""Send a test to a webhook, independent of its selected kinds."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from console.errors import Conflict
from console.orgs.audit import record
from console.orgs.permissions import Actor, Permission
from console.orgs.queries import lock_org
from console.webhooks.models import Delivery, Kind, Webhook
from console.webhooks.outbox import write_deliveries
from console.webhooks.payloads import test_message
from console.webhooks.queries import get_webhook

#: Maximum number of waiting tests.
_MOST_WAITING = 5


def send_test(actor: Actor, number: int) -> Delivery:
    """
    Create and return a test delivery, which a worker sends immediately.

    Raises NotAllowed, NotFound, and Conflict for a webhook that is paused or has several waiting
    tests.
    """
    actor.require(Permission.MANAGE_ORG)
    now = timezone.now()
    with transaction.atomic():
        lock_org(actor.org)
        webhook = get_webhook(actor.org, number)
        refuse_paused(webhook)
        waiting = Delivery.objects.filter(
            webhook=webhook, kind=Kind.TEST, state=Delivery.State.WAITING
        )
        if waiting.count() >= _MOST_WAITING:
            raise Conflict(
                "tests_waiting",
                f"{_MOST_WAITING} tests of this webhook are already waiting; its log shows the "
                "cause.",
            )
        Webhook.objects.filter(pk=webhook.pk).update(rest_until=None, changed_at=now)
        message = test_message(actor.org, now, actor.name)
        (delivery,) = write_deliveries(actor.org, [(webhook, Kind.TEST.value, message)], now)
        record(
            actor,
            "webhook.test",
            kind="webhook",
            subject=str(webhook.pk),
            after={"name": webhook.name, "delivery": delivery.uid},
        )
    return delivery


def refuse_paused(webhook: Webhook) -> None:
    """Raise Conflict if *webhook* is paused."""
    if webhook.paused:
        raise Conflict("webhook_paused", f"{webhook.name} is paused; resume it first.")
