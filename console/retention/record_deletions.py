"""Record checks for expired rows, and deletions by organization."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from django.utils import timezone

from console.retention.models import Forgotten, Kind, Look

#: Some kinds are checked every few seconds, which are not all recorded.
_MIN_INTERVAL = timedelta(minutes=1)


def record_deletions(kind: Kind, by_org: Mapping[int, int]) -> int:
    """Record a check of *kind* now, and return the total number of deleted rows."""
    now = timezone.now()
    last = Look.objects.filter(kind=kind).values_list("at", flat=True).first()
    if last is None or not now - _MIN_INTERVAL < last <= now:
        Look.objects.bulk_create(
            [Look(kind=kind, at=now)],
            update_conflicts=True,
            unique_fields=["kind"],
            update_fields=["at"],
        )
    Forgotten.objects.bulk_create(
        [
            Forgotten(org_id=org_id, kind=kind, at=now, rows=rows)
            for org_id, rows in sorted(by_org.items())
            if rows
        ],
        update_conflicts=True,
        unique_fields=["org", "kind"],
        update_fields=["at", "rows"],
    )
    return sum(by_org.values())
