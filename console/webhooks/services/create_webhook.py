"""Create a webhook: its secret is told once."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from console.errors import Conflict
from console.orgs.audit import record
from console.orgs.permissions import Actor, Permission
from console.orgs.queries import lock_org
from console.webhooks.models import Kind, Webhook
from console.webhooks.read_webhook import REQUIRED, read_webhook
from console.webhooks.signing import secret_of
from console.webhooks.stored_facts import facts_of
from console.webhooks.told_classes import begin_to_tell, tells_of_never

#: Webhooks of one organization: each batch of the engine looks at all of them.
MOST_WEBHOOKS = 20


def create_webhook(actor: Actor, given: Any) -> tuple[Webhook, str]:
    """
    Return a new webhook and the secret by which its receiver recognizes deliveries.

    *given* has ``name``, ``url`` and ``kinds``, and may have ``queues``. Raises NotAllowed,
    BadRequest, and Conflict for a name that is taken or one webhook too many.
    """
    actor.require(Permission.MANAGE_ORG)
    fields = read_webhook(given, REQUIRED)
    paused = Webhook.Paused.BY_HAND if fields.pop("paused", False) else ""
    org = actor.org
    with transaction.atomic():
        lock_org(org)
        if Webhook.objects.filter(org=org).count() >= MOST_WEBHOOKS:
            raise Conflict(
                "too_many_webhooks",
                f"An organization has at most {MOST_WEBHOOKS} webhooks; delete one that is not "
                "needed, or let one receiver pass on what others want to know.",
            )
        refuse_taken_name(actor, fields["name"])
        was_told = tells_of_never(org)
        webhook = Webhook.objects.create(
            org=org, created_by=actor.name, **{"paused": paused, **fields}
        )
        if Kind.CANNOT_RUN in webhook.kinds and not webhook.paused and not was_told:
            begin_to_tell(org)
        record(
            actor,
            "webhook.create",
            kind="webhook",
            subject=str(webhook.pk),
            after=facts_of(webhook),
        )
    return webhook, secret_of(webhook.seed)


def refuse_taken_name(actor: Actor, name: str, but: int = 0) -> None:
    """Raise Conflict when a webhook other than *but* is called *name*."""
    if Webhook.objects.filter(org=actor.org, name=name).exclude(pk=but).exists():
        raise Conflict(
            "webhook_exists", f"There is a webhook called {name} already; choose another name."
        )
