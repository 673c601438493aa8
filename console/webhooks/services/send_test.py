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
    with transaction.atomic():
        lock_org(actor.org)
        webhook = get_webhook(actor.org, number)
        refuse_paused(webhook)
        delivery = write_test(webhook, actor.name, "this webhook")
        record(
            actor,
            "webhook.test",
            kind="webhook",
            subject=str(webhook.pk),
            after={"name": webhook.name, "delivery": delivery.uid},
        )
    return delivery


def write_test(webhook: Webhook, asked_by: str, receiver: str) -> Delivery:
    """
    Write a test of *webhook*, which its text names *receiver*; call it inside a transaction.

    Raises Conflict if several tests wait.
    """
    now = timezone.now()
    waiting = Delivery.objects.filter(webhook=webhook, kind=Kind.TEST, state=Delivery.State.WAITING)
    if waiting.count() >= _MOST_WAITING:
        raise Conflict(
            "tests_waiting",
            f"{_MOST_WAITING} tests of {receiver} are already waiting; the log shows the cause.",
        )
    Webhook.objects.filter(pk=webhook.pk).update(rest_until=None, changed_at=now)
    message = test_message(webhook.org, now, asked_by, receiver)
    (delivery,) = write_deliveries(webhook.org, [(webhook, Kind.TEST.value, message)], now)
    return delivery


def refuse_paused(webhook: Webhook) -> None:
    """Raise Conflict if *webhook* is paused."""
    if webhook.paused:
        raise Conflict("webhook_paused", f"{webhook.name} is paused; resume it first.")
