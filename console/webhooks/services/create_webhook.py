"""Create a webhook, whose secret is returned once."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from console.errors import Conflict
from console.orgs.audit import record
from console.orgs.permissions import Actor, Permission
from console.orgs.queries import lock_org
from console.webhooks.audit_facts import facts_of
from console.webhooks.models import Format, Kind, Webhook
from console.webhooks.queries import webhooks_of
from console.webhooks.read_webhook import read_webhook
from console.webhooks.reported_classes import mark_as_reported, reports_cannot_run
from console.webhooks.signing import secret_of

#: Maximum number of webhooks of one organization, because each batch of the engine reads all of
#: them.
MOST_WEBHOOKS = 20


def create_webhook(actor: Actor, given: Any) -> tuple[Webhook, str | None]:
    """
    Create and return a webhook, and the secret with which its receiver verifies deliveries.

    *given* has ``name``, ``url`` and ``kinds``, and optionally ``format``, ``queues`` and
    ``paused``. The secret is None for a format that is not signed. Raises NotAllowed,
    BadRequest, and Conflict for a name that is taken, or at the maximum number of webhooks.
    """
    actor.require(Permission.MANAGE_ORG)
    fields = read_webhook(given, is_new=True)
    paused = Webhook.Paused.BY_HAND if fields.pop("paused", False) else ""
    org = actor.org
    with transaction.atomic():
        lock_org(org)
        if webhooks_of(org).count() >= MOST_WEBHOOKS:
            raise Conflict(
                "too_many_webhooks",
                f"An organization has at most {MOST_WEBHOOKS} webhooks; delete one, or let one "
                "receiver forward messages to others.",
            )
        refuse_taken_name(actor, fields["name"])
        was_reported = reports_cannot_run(org)
        webhook = Webhook.objects.create(
            org=org, created_by=actor.name, **{"paused": paused, **fields}
        )
        if Kind.CANNOT_RUN in webhook.kinds and not webhook.paused and not was_reported:
            mark_as_reported(org)
        record(
            actor,
            "webhook.create",
            kind="webhook",
            subject=str(webhook.pk),
            after=facts_of(webhook),
        )
    return webhook, secret_of(webhook.seed) if webhook.format == Format.JSON else None


def refuse_taken_name(actor: Actor, name: str, but: int = 0) -> None:
    """Raise Conflict if a webhook other than *but* has the name *name*."""
    if webhooks_of(actor.org).filter(name=name).exclude(pk=but).exists():
        raise Conflict(
            "webhook_exists", f"A webhook with the name {name} already exists; choose another name."
        )
