"""Change the name, URL, kinds, queues or pause of a webhook."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils import timezone

from console.orgs.audit import record
from console.orgs.permissions import Actor, Permission
from console.orgs.queries import lock_org
from console.webhooks import wakeup
from console.webhooks.audit_facts import facts_of
from console.webhooks.models import Kind, Webhook
from console.webhooks.queries import get_webhook
from console.webhooks.read_webhook import read_webhook
from console.webhooks.reported_classes import mark_as_reported, reports_cannot_run
from console.webhooks.services.create_webhook import refuse_taken_name


def update_webhook(actor: Actor, number: int, given: Any) -> Webhook:
    """
    Change the fields *given* of a webhook, and return it.

    After a pause, waiting deliveries are sent; events during the pause created none. Raises
    NotAllowed, NotFound, BadRequest, and Conflict for a name that is taken.
    """
    actor.require(Permission.MANAGE_ORG)
    get_webhook(actor.org, number)
    fields = read_webhook(given, is_new=False)
    with transaction.atomic():
        lock_org(actor.org)
        webhook = get_webhook(actor.org, number)
        before = facts_of(webhook)
        was_reported = reports_cannot_run(actor.org)
        if "name" in fields:
            refuse_taken_name(actor, fields["name"], but=webhook.pk)
        changed = _set(webhook, fields)
        if not changed:
            return webhook
        # Columns written by the workers are not changed.
        webhook.changed_at = timezone.now()
        webhook.save(update_fields=[*changed, "changed_at"])
        if Kind.CANNOT_RUN in webhook.kinds and not webhook.paused and not was_reported:
            mark_as_reported(actor.org)
        record(
            actor,
            "webhook.update",
            kind="webhook",
            subject=str(webhook.pk),
            before=before,
            after=facts_of(webhook),
        )
        if not webhook.paused:
            wakeup.request_delivery([webhook.pk])
    return webhook


def _set(webhook: Webhook, fields: dict[str, Any]) -> list[str]:
    """Set *fields* and return the names of the changed columns."""
    changed: list[str] = []
    for name in ("name", "url", "kinds", "queues"):
        if name in fields and getattr(webhook, name) != fields[name]:
            setattr(webhook, name, fields[name])
            changed.append(name)
    if "paused" in fields and fields["paused"] != bool(webhook.paused):
        webhook.paused = Webhook.Paused.BY_HAND if fields["paused"] else ""
        webhook.paused_at = timezone.now() if fields["paused"] else None
        changed += ["paused", "paused_at"]
    if not webhook.paused and ("url" in changed or "paused" in changed):
        # The next attempt is made immediately.
        webhook.failures, webhook.failing_since, webhook.rest_until = 0, None, None
        changed += ["failures", "failing_since", "rest_until"]
    return changed
