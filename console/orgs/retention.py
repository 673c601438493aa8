"""Retention of audit entries and of browser sessions."""

from __future__ import annotations

from django.conf import settings

from console.orgs.models import AuditChain, AuditEntry
from console.retention.models import Kind
from console.retention.registry import MOST, Retention, Rows, register


def _audit(org_id: int) -> Rows:
    """Return the number of entries from the chain, which is numbered without gaps."""
    chain = AuditChain.objects.filter(pk=org_id).first()
    entries = AuditEntry.objects.filter(org=org_id)
    unsealed = entries.filter(number=None).order_by()[: MOST + 1].count()
    sealed = chain.number - chain.base_number if chain else 0
    oldest = entries.order_by("id").values_list("created_at", flat=True).first()
    return Rows(count=sealed + unsealed, oldest=oldest)


def _sessions(_org_id: int) -> Rows:
    """Return no count: sessions belong to people, who can be members of several organizations."""
    return Rows(count=None)


register(
    Retention(kind=Kind.AUDIT, setting="AUDIT_RETENTION_DAYS", job="seal audit", rows=_audit),
    Retention(
        kind=Kind.SESSIONS,
        fixed_days=settings.SESSION_COOKIE_AGE // 86400,
        job="forget sessions",
        rows=_sessions,
    ),
)
