"""Retention: how long resource-time is kept."""

from __future__ import annotations

from dataclasses import replace

from console.accounting.amounts import time_of_hour
from console.accounting.models import AccountedHour
from console.retention.models import Kind
from console.retention.registry import Retention, Rows, count_rows, register


def _hours(org_id: int) -> Rows:
    hours = AccountedHour.objects.filter(org=org_id)
    first = hours.order_by("hour").values_list("hour", flat=True).first()
    oldest = None if first is None else time_of_hour(first)
    return replace(count_rows(hours, "", ""), oldest=oldest)


register(
    Retention(kind=Kind.ACCOUNTS, setting="DAY_RETENTION_DAYS", job="forget accounts", rows=_hours)
)
