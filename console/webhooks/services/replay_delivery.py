"""Replay a delivery, with the same id and body."""

from __future__ import annotations

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from console.orgs.audit import record
from console.orgs.permissions import Actor, Permission
from console.orgs.queries import lock_org
from console.webhooks import wakeup
from console.webhooks.models import Delivery, Webhook
from console.webhooks.queries import get_delivery, get_webhook
from console.webhooks.services.send_test import refuse_paused


def replay_delivery(actor: Actor, number: int, uid: str) -> Delivery:
    """
    Make a delivery due immediately, with all retries available again; return it.

    A waiting delivery gets its next attempt now. Raises NotAllowed, NotFound, and Conflict for a
    paused webhook.
    """
    actor.require(Permission.MANAGE_ORG)
    with transaction.atomic():
        lock_org(actor.org)
        webhook = get_webhook(actor.org, number)
        refuse_paused(webhook)
        delivery = get_delivery(webhook, uid)
        now = timezone.now()
        # The row of the webhook is locked before those of its log, as in all transactions.
        Webhook.objects.filter(pk=webhook.pk).update(rest_until=None, changed_at=now)
        Delivery.objects.filter(pk=delivery.pk).update(
            state=Delivery.State.WAITING,
            due_at=now,
            ended_at=None,
            attempts_before=F("attempts_begun"),
        )
        record(
            actor,
            "webhook.redeliver",
            kind="webhook",
            subject=str(webhook.pk),
            after={"name": webhook.name, "delivery": uid},
        )
        wakeup.request_delivery([webhook.pk])
    return get_delivery(webhook, uid)
