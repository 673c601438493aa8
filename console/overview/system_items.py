"""Attention items about workers, the broker, webhooks and tokens."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Q

from console.heartbeat import Pulse, pulse
from console.orgs.models import ApiToken, Organization
from console.overview.items import MOST_SUBJECTS, Item, Kind, Subject
from console.webhooks.models import Webhook
from console.workloads.queries.intake import late_since

#: How long a webhook fails before it becomes an item.
UNREACHED: Final = timedelta(minutes=10)

#: Reasons of automatic pauses of webhooks.
_GIVEN_UP: Final = (Webhook.Paused.FAILING, Webhook.Paused.GONE)

#: How long before its expiry a token becomes an item.
EXPIRES_SOON: Final = timedelta(days=7)


def worker_items(org: Organization, now: datetime) -> Iterator[Item]:
    """Yield the item about missing decisions in *org*; of several causes, the first."""
    since = late_since(org, now)
    beats = pulse()
    if beats is not Pulse.BEATING:
        yield Item(kind=Kind.WORKER_LATE, reason=beats.value, count=1, since=since)
    elif since is not None:
        yield Item(kind=Kind.WORKER_LATE, reason="intake_late", count=1, since=since)


def webhook_items(org: Organization, now: datetime) -> Iterator[Item]:
    """Yield items about failing and automatically paused webhooks, for owners."""
    is_failing = Q(paused="", failing_since__lt=now - UNREACHED)
    rows = Webhook.objects.filter(is_failing | Q(paused__in=_GIVEN_UP), org=org, member=None)
    found = list(rows.order_by("failing_since", "pk")[: MOST_SUBJECTS + 1])
    if found:
        yield Item(
            kind=Kind.WEBHOOK_FAILING,
            count=len(found[:MOST_SUBJECTS]),
            is_exact=len(found) <= MOST_SUBJECTS,
            since=min((each.failing_since for each in found if each.failing_since), default=None),
            subjects=tuple(
                Subject(name=each.name, number=each.pk, since=each.failing_since)
                for each in found[:MOST_SUBJECTS]
            ),
        )


def token_items(org: Organization, now: datetime) -> Iterator[Item]:
    """Yield items about tokens that expire soon and have no successor, for owners."""
    rows = ApiToken.objects.filter(
        org=org,
        revoked_at=None,
        successor=None,
        expires_at__gt=now,
        expires_at__lt=now + EXPIRES_SOON,
    ).order_by("expires_at")
    found = list(rows[: MOST_SUBJECTS + 1])
    if found:
        yield Item(
            kind=Kind.TOKEN_EXPIRES,
            count=len(found[:MOST_SUBJECTS]),
            is_exact=len(found) <= MOST_SUBJECTS,
            subjects=tuple(
                Subject(name=each.name, until=each.expires_at) for each in found[:MOST_SUBJECTS]
            ),
        )
