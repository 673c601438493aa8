"""Delete expired sessions."""

from __future__ import annotations

from django.utils import timezone

from console.orgs.models import BrowserSession
from console.retention.models import Kind
from console.retention.record_deletions import record_deletions

#: Maximum number of sessions of one call, so that other writers do not wait long; the next call
#: continues.
_MOST = 1_000


def forget_sessions() -> int:
    """Delete expired sessions, the oldest first, and return their number."""
    over = BrowserSession.objects.filter(expire_date__lte=timezone.now()).order_by("expire_date")
    keys = list(over.values_list("pk", flat=True)[:_MOST])
    BrowserSession.objects.filter(pk__in=keys).delete()
    record_deletions(Kind.SESSIONS, {})
    return len(keys)
