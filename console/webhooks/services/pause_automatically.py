"""Pause a failing webhook automatically, and record it for its owners."""

from __future__ import annotations

from datetime import datetime

import structlog

from console.orgs.audit import record
from console.orgs.models import Role
from console.orgs.permissions import Actor
from console.webhooks.audit_facts import facts_of
from console.webhooks.models import Webhook

log = structlog.get_logger("console.webhooks")


def pause_automatically(webhook: Webhook, why: Webhook.Paused, now: datetime) -> None:
    """
    Pause *webhook* for the reason *why* unless it is paused; call it inside a transaction.

    The page of the webhook, the overview of owners and the audit log show the pause.
    """
    row = Webhook.objects.filter(pk=webhook.pk, paused="")
    if not row.update(paused=why, paused_at=now, changed_at=now):
        return
    before = {"paused": ""}
    record(
        Actor(org=webhook.org, role=Role.OWNER, name=webhook.name, key="webhook"),
        "webhook.pause",
        kind="webhook",
        subject=str(webhook.pk),
        before=facts_of(webhook) | before,
        after=facts_of(webhook) | {"paused": str(why)},
    )
    log.warning("webhook paused", org=webhook.org.slug, webhook=webhook.name, why=str(why))
