"""Delete expired audit entries from the beginning of their chain."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta
from itertools import takewhile

from django.db import transaction
from django.db.models import Exists, F, OuterRef
from django.utils import timezone

from console.orgs.models import AuditChain, AuditEntry
from console.retention.models import Kind
from console.retention.record_deletions import record_deletions

#: Maximum number of entries of one statement, so that other writers do not wait long.
BATCH = 500

#: Maximum number of entries of one organization that one call deletes; the next call continues.
_MOST = 5_000


def forget_audit(days: int) -> int:
    """
    Delete entries older than *days*, 0 for none; return their number.

    The chain keeps the digest of the last deleted entry, so that the remaining entries can be
    verified.
    """
    if not days:
        return 0
    limit = timezone.now() - timedelta(days=days)
    forgotten: Counter[int] = Counter()
    # Only organizations with expired entries are locked.
    first = AuditEntry.objects.filter(
        org_id=OuterRef("pk"), number=OuterRef("base_number") + 1, created_at__lt=limit
    )
    due = AuditChain.objects.filter(Exists(first), number__gt=F("base_number"))
    for org_id in sorted(due.values_list("pk", flat=True)):
        for _ in range(_MOST // BATCH):
            count = _forget_some(org_id, limit)
            forgotten[org_id] += count
            if count < BATCH:
                break
    return record_deletions(Kind.AUDIT, forgotten)


def _forget_some(org_id: int, limit: datetime) -> int:
    with transaction.atomic():
        chain = AuditChain.objects.select_for_update().get(pk=org_id)
        entries = AuditEntry.objects.filter(org_id=org_id, number__gt=chain.base_number)
        oldest = entries.order_by("number").only("number", "digest", "created_at")[:BATCH]
        old = list(takewhile(lambda entry: entry.created_at < limit, oldest))
        if old:
            chain.base_number, chain.base_digest = old[-1].number or 0, old[-1].digest
            chain.save(update_fields=["base_number", "base_digest"])
            AuditEntry.objects.filter(pk__in=[entry.pk for entry in old]).delete()
    return len(old)
