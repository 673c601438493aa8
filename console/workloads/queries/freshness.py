"""Freshness: what state the worker has written, and since when it is not that of now."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from django.db.models import OuterRef, Subquery
from django.utils import timezone

from console.orgs.models import Organization
from console.workloads.models import Engine, Intake

#: How long a request may wait for the worker before pages say that they are behind: it is
#: nudged at once, and again every two seconds.
LATE: Final = timedelta(seconds=15)

_STATE: Final = ("version", "org__active_config__number", "org__active_config__changed_at")


def behind_since(org: Organization, *, now: datetime | None = None) -> datetime | None:
    """
    Return since when usage, counts and reasons are not those of now; None: they are.

    That is when the oldest request came in that no worker has looked at in time.
    """
    oldest = (
        Intake.objects.filter(org=org).order_by("pk").values_list("created_at", flat=True).first()
    )
    return _if_late(oldest, now or timezone.now())


def present_state(org: Organization) -> str:
    """Return a text that changes with every write of the worker and every apply: one short read."""
    version, number, changed_at = Engine.objects.values_list(*_STATE).get(org=org)
    return f"{version}.{number}.{changed_at.timestamp()}"


def present_state_and_age(org: Organization) -> str:
    """Return a text that changes with `present_state` and with `behind_since`, in one read too."""
    oldest = Intake.objects.filter(org=OuterRef("org")).order_by("pk").values("created_at")[:1]
    found = Engine.objects.values_list(*_STATE, Subquery(oldest))
    version, number, changed_at, since = found.get(org=org)
    behind = _if_late(since, timezone.now())
    return f"{version}.{number}.{changed_at.timestamp()}.{behind.timestamp() if behind else ''}"


def _if_late(oldest: datetime | None, now: datetime) -> datetime | None:
    return oldest if oldest is not None and now - oldest > LATE else None
