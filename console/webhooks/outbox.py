"""
The outbox: what has to be told is written in the transaction of what it tells.

What nobody tried to send yet takes up what comes after it, so that a receiver that is slow
or down gets few large deliveries rather than many small ones.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.utils import timezone

from console import statements
from console.orgs.models import Organization
from console.webhooks import wakeup
from console.webhooks.models import WORKLOAD_KINDS, Delivery, Kind, Webhook
from console.webhooks.payloads import Message, config_message, merged

_HAS_SOME = "SELECT EXISTS (SELECT 1 FROM webhooks_webhook WHERE org_id = %s)"


def told_of(org: Organization) -> list[Webhook]:
    """Return the webhooks of *org* that are told anything at all."""
    # Each batch asks; most organizations have none.
    ((some,),) = statements.rows(_HAS_SOME, [org.pk])
    return list(Webhook.objects.filter(org=org, paused="")) if some else []


def put(
    org: Organization, messages: Iterable[tuple[Webhook, str, Message]], now: datetime
) -> list[Delivery]:
    """
    Write (webhook, kind, message) as deliveries that are due; call inside a transaction.

    Those about workloads go into one that waits untried, where there is one: only the
    organization's engine, of which there is one, writes them.
    """
    told = list(messages)
    present = _touch({webhook.pk for webhook, _, _ in told}, now)
    rows = [
        Delivery(
            webhook=webhook,
            kind=kind,
            summary=message.summary,
            body=message.body,
            due_at=now,
            created_at=now,
        )
        for webhook, kind, message in told
        if webhook.pk in present
        and not (kind in WORKLOAD_KINDS and _joined(org, webhook, kind, message, now))
    ]
    made = Delivery.objects.bulk_create(rows)
    wakeup.request_delivery(sorted({row.webhook_id for row in made}))
    return made


def _touch(keys: set[int], now: datetime) -> set[int]:
    """Return which webhooks there are still, kept so until the transaction ends."""
    rows = Webhook.objects.select_for_update(no_key=True).filter(pk__in=keys).order_by("pk")
    present = set(rows.values_list("pk", flat=True))
    Webhook.objects.filter(pk__in=present).update(changed_at=now)
    return present


def tell_of_config(org: Organization, kind: Kind, data: dict[str, object], author: str) -> None:
    """Tell of a change of the config, by the facts of its event; call inside its transaction."""
    webhooks = [each for each in told_of(org) if kind in each.kinds]
    if webhooks:
        now = timezone.now()
        message = config_message(org, kind, now, data, author)
        put(org, [(webhook, kind, message) for webhook in webhooks], now)


def _joined(
    org: Organization, webhook: Webhook, kind: str, message: Message, now: datetime
) -> bool:
    """Say whether *message* went into a delivery that waits and that nobody has tried."""
    untried = Delivery.objects.filter(
        webhook=webhook, kind=kind, state=Delivery.State.WAITING, attempts_begun=0
    )
    row = untried.order_by("-pk").values_list("pk", "body").first()
    if row is None:
        return False
    both = merged(org, kind, now, row[1], message.body)
    # Whoever began an attempt in between has sent the body as it was.
    return bool(untried.filter(pk=row[0]).update(summary=both.summary, body=both.body))
