"""Delete a webhook with its log."""

from __future__ import annotations

from django.db import transaction

from console.orgs.audit import record
from console.orgs.permissions import Actor, Permission
from console.webhooks.audit_facts import facts_of
from console.webhooks.models import Attempt, Delivery, Webhook
from console.webhooks.queries import get_webhook


def delete_webhook(actor: Actor, number: int) -> Webhook:
    """
    Delete a webhook and return it; waiting deliveries are not sent.

    Raises NotAllowed and NotFound.
    """
    actor.require(Permission.MANAGE_ORG)
    with transaction.atomic():
        webhook = get_webhook(actor.org, number)
        record(
            actor,
            "webhook.delete",
            kind="webhook",
            subject=str(webhook.pk),
            before=facts_of(webhook),
        )
        # The row of the webhook is locked before those of its log, as in all transactions.
        Webhook.objects.select_for_update().get(pk=webhook.pk)
        Attempt.objects.filter(delivery__webhook=webhook).delete()
        Delivery.objects.filter(webhook=webhook).delete()
        Webhook.objects.filter(pk=webhook.pk).delete()
    return webhook
