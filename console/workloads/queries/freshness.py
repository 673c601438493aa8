"""Freshness: what state the worker has written, and since when it is not that of now."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from django.utils import timezone

from console.orgs.models import Organization
from console.workloads.models import Engine, Intake

#: How long a request may wait for the worker before pages say that they are behind: it is
#: nudged at once, and again every two seconds.
LATE: Final = timedelta(seconds=15)


def behind_since(org: Organization, *, now: datetime | None = None) -> datetime | None:
    """
    Return since when usage, counts and reasons are not those of now; None: they are.

    That is when the oldest request came in that no worker has looked at in time.
    """
    oldest = (
        Intake.objects.filter(org=org).order_by("pk").values_list("created_at", flat=True).first()
    )
    return oldest if oldest is not None and (now or timezone.now()) - oldest > LATE else None


def present_state(org: Organization) -> str:
    """Return a text that changes with every write of the worker and every apply: one short read."""
    found = Engine.objects.values_list(
        "version", "org__active_config__number", "org__active_config__changed_at"
    )
    version, number, changed_at = found.get(org=org)
    return f"{version}.{number}.{changed_at.timestamp()}"
