"""The stored usage history of an organization."""

from __future__ import annotations

from console.engine.model.usage_history import UsageHistory
from console.orgs.models import Organization
from console.workloads import models


def usage_history_of(org: Organization) -> UsageHistory | None:
    """Return the usage history that the engine knows; None before the first measurement."""
    rows = models.UsageHistory.objects.filter(org=org, measured_at__isnull=False)
    for measured_at, parts in rows.values_list("measured_at", "parts"):
        return UsageHistory(measured_at=measured_at or 0, parts=parts)
    return None
