"""
The outbox: messages are written in the transaction of the events that they report.

A delivery without attempts absorbs later messages, so that a receiver that is slow or down gets
few large deliveries instead of many small ones.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from functools import partial

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from console import statements
from console.orgs.models import Organization
from console.webhooks import wakeup
from console.webhooks.digests import digest_of, merged_digests, next_digest
from console.webhooks.models import WORKLOAD_KINDS, Delivery, Kind, Webhook
from console.webhooks.payloads import Message, config_message, merged, review_message

_HAS_SOME = "SELECT EXISTS (SELECT 1 FROM webhooks_webhook WHERE org_id = %s)"


def active_webhooks(org: Organization) -> list[Webhook]:
    """
    Return the active webhooks of *org*, and its members who get e-mail, with their accounts.

    Members get e-mail at addresses that they have confirmed.
    """
    # Every batch runs this query, and most organizations have no webhooks.
    ((some,),) = statements.rows(_HAS_SOME, [org.pk])
    if not some:
        return []
    mailed = Q(member__user__is_active=True, member__user__address_confirmed_at__isnull=False)
    if not settings.EMAIL_HOST:
        mailed = Q(pk=None)
    rows = Webhook.objects.select_related("member__user").filter(org=org, paused="")
    return list(rows.filter(Q(member=None) | mailed))


def write_deliveries(
    org: Organization, messages: Iterable[tuple[Webhook, str, Message]], now: datetime
) -> list[Delivery]:
    """
    Write (webhook, kind, message) as due deliveries; call it inside a transaction.

    A message about workloads is added to a waiting delivery without attempts, if there is one; it
    becomes a part of the digest of a member who gets one. Only the engine of the organization
    writes these messages.
    """
    told = [_as_received(org, *each, now) for each in messages]
    present = _lock_webhooks({webhook.pk for webhook, _, _ in told}, now)
    rows = [
        Delivery(
            webhook=webhook,
            kind=kind,
            summary=message.summary,
            body=message.body,
            due_at=next_digest(now) if kind == Kind.DIGEST else now,
            created_at=now,
        )
        for webhook, kind, message in told
        if webhook.pk in present
        and not (kind in WORKLOAD_KINDS and _merge_into_waiting(org, webhook, kind, message, now))
    ]
    made = Delivery.objects.bulk_create(rows)
    wakeup.request_delivery(sorted({row.webhook_id for row in made}))
    return made


def _as_received(
    org: Organization, webhook: Webhook, kind: str, message: Message, now: datetime
) -> tuple[Webhook, str, Message]:
    if webhook.is_digest and kind in WORKLOAD_KINDS:
        return webhook, Kind.DIGEST.value, digest_of(org, now, message.body)
    return webhook, kind, message


def _lock_webhooks(keys: set[int], now: datetime) -> set[int]:
    """Return the webhooks that still exist, locked until the end of the transaction."""
    rows = Webhook.objects.select_for_update(no_key=True).filter(pk__in=keys).order_by("pk")
    present = set(rows.values_list("pk", flat=True))
    Webhook.objects.filter(pk__in=present).update(changed_at=now)
    return present


def notify_of_config(org: Organization, kind: Kind, data: dict[str, object], author: str) -> None:
    """Write deliveries for a config change, from the facts of its event, inside its transaction."""
    webhooks = [each for each in active_webhooks(org) if kind in each.kinds]
    if webhooks:
        now = timezone.now()
        message = config_message(org, kind, now, data, author)
        write_deliveries(org, [(webhook, kind, message) for webhook in webhooks], now)


def notify_of_review(
    org: Organization, kind: Kind, number: int, data: dict[str, object], author: str
) -> None:
    """Write deliveries about review request *number* of *author*, inside its transaction."""
    webhooks = [each for each in active_webhooks(org) if kind in each.kinds]
    if webhooks:
        now = timezone.now()
        message = review_message(org, kind, now, number, data, author)
        write_deliveries(org, [(webhook, kind, message) for webhook in webhooks], now)


def _merge_into_waiting(
    org: Organization, webhook: Webhook, kind: str, message: Message, now: datetime
) -> bool:
    """Return whether *message* was added to a waiting delivery without attempts."""
    untried = Delivery.objects.filter(
        webhook=webhook, kind=kind, state=Delivery.State.WAITING, attempts_begun=0
    )
    row = untried.order_by("-pk").values_list("pk", "body").first()
    if row is None:
        return False
    merge = merged_digests if kind == Kind.DIGEST else partial(merged, kind=kind)
    both = merge(org=org, now=now, old=row[1], new=message.body)
    # An attempt that was started in the meantime sends the unchanged body.
    return bool(untried.filter(pk=row[0]).update(summary=both.summary, body=both.body))
