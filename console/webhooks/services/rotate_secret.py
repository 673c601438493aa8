"""Rotate the secret of a webhook; the old one also signs for a while."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from console.errors import Conflict
from console.orgs.audit import record
from console.orgs.permissions import Actor, Permission
from console.orgs.queries import lock_org
from console.time_formats import to_iso
from console.webhooks.models import Format, Webhook, new_seed
from console.webhooks.queries import get_webhook
from console.webhooks.signing import secret_of
from console.webhooks.waits import OVERLAP


def rotate_secret(actor: Actor, number: int) -> tuple[Webhook, str]:
    """
    Return a webhook and its new secret; the previous one also signs for a day.

    An older secret is revoked immediately. Raises NotAllowed, NotFound, and
    Conflict for a webhook whose format is not signed.
    """
    actor.require(Permission.MANAGE_ORG)
    with transaction.atomic():
        lock_org(actor.org)
        webhook = get_webhook(actor.org, number)
        if webhook.format != Format.JSON:
            raise Conflict(
                "webhook_not_signed",
                f"{webhook.name} sends messages for Slack, which are not signed: it has no secret.",
            )
        webhook.old_seed, webhook.seed = webhook.seed, new_seed()
        webhook.old_seed_until = timezone.now() + OVERLAP
        webhook.changed_at = timezone.now()
        webhook.save(update_fields=["old_seed", "seed", "old_seed_until", "changed_at"])
        record(
            actor,
            "webhook.rotate",
            kind="webhook",
            subject=str(webhook.pk),
            after={"name": webhook.name, "old_until": to_iso(webhook.old_seed_until)},
        )
    return webhook, secret_of(webhook.seed)
