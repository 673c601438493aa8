"""Freshness: whether what the worker wrote is what holds now, and since when it is not."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from django.utils import timezone

from console.orgs.models import Organization
from console.workloads.models import Intake

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
