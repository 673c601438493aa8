"""Forget sessions that are over: nobody comes back with their cookies."""

from __future__ import annotations

from django.utils import timezone

from console.orgs.models import BrowserSession
from console.retention.models import Kind
from console.retention.note import note

#: Sessions of one call, so that other writers need not wait long; what is more goes with the next.
_MOST = 1_000


def forget_sessions() -> int:
    """Delete sessions that have expired, the oldest first, and return how many."""
    over = BrowserSession.objects.filter(expire_date__lte=timezone.now()).order_by("expire_date")
    keys = list(over.values_list("pk", flat=True)[:_MOST])
    BrowserSession.objects.filter(pk__in=keys).delete()
    note(Kind.SESSIONS, {})
    return len(keys)
