"""Measure effects: what happened to work in the day before and the day after each version."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q
from django.utils import timezone

from console.configs.models import ConfigVersion
from console.workloads.models import State, Workload

#: How long before and after a version.
DAY = timedelta(hours=24)
#: Versions measured at once, and workloads that are looked at on either side of one.
MOST_VERSIONS = 20
MOST_WORKLOADS = 20_000


def measure_effects(now: datetime | None = None) -> int:
    """
    Write the effect of versions whose day is over, oldest first; return how many.

    Each is written once: a second run at the same time writes the same, and finds nothing later.
    """
    moment = now or timezone.now()
    due = ConfigVersion.objects.filter(effect__isnull=True, created_at__lte=moment - DAY)
    found = list(due.defer("text").order_by("created_at")[:MOST_VERSIONS])
    for version in found:
        effect = effect_of(version)
        ConfigVersion.objects.filter(pk=version.pk, effect__isnull=True).update(effect=effect)
    return len(found)


def effect_of(version: ConfigVersion) -> dict[str, Any]:
    """
    Return what happened to workloads submitted within a day of *version*.

    ``before`` and ``after`` count those submitted in that day, and those of them that were
    admitted before it was over, with the wait until the last such admission in seconds, None when
    there are none. ``rejected`` are those whose rejection fell into that day, whichever of
    the two they were submitted in. At most `MOST_WORKLOADS` on either side are looked at, those
    nearest to it. ``other_versions`` were applied in the same two days.
    """
    at = version.created_at
    workloads = Workload.objects.filter(org=version.org_id)
    before = workloads.filter(submitted_at__gte=at - DAY, submitted_at__lt=at)
    after = workloads.filter(submitted_at__gte=at, submitted_at__lt=at + DAY)
    others = ConfigVersion.objects.filter(
        ~Q(pk=version.pk), org=version.org_id, created_at__gt=at - DAY, created_at__lt=at + DAY
    )
    most = MOST_WORKLOADS + 1
    earlier = list(before.order_by("-submitted_at").values_list(*_FIELDS)[:most])
    later = list(after.order_by("submitted_at").values_list(*_FIELDS)[:most])
    return {
        "before": _day(earlier, at - DAY),
        # What waited when the version came may be rejected by it.
        "after": _day(later, at, earlier),
        "other_versions": others.count(),
    }


_FIELDS = ("submitted_at", "admitted_at", "state", "ended_at")
_Row = tuple[datetime, datetime | None, str, datetime | None]


def _day(rows: Sequence[_Row], start: datetime, earlier: Sequence[_Row] = ()) -> dict[str, Any]:
    """Return what happened in the day from *start* on to those submitted in it and *earlier*."""
    end = start + DAY
    seen = rows[:MOST_WORKLOADS]
    waits = sorted(
        (admitted - submitted).total_seconds()
        for submitted, admitted, *_ in seen
        if admitted is not None and admitted < end
    )
    return {
        "submitted": len(seen),
        "admitted": len(waits),
        "rejected": sum(
            1
            for *_, state, ended in (*seen, *earlier[:MOST_WORKLOADS])
            if state == State.REJECTED and ended is not None and start <= ended < end
        ),
        "wait_p50": _percentile(waits, 50),
        "wait_p95": _percentile(waits, 95),
        "is_whole": len(rows) <= MOST_WORKLOADS,
    }


def _percentile(ordered: Sequence[float], percent: int) -> float | None:
    """Return the smallest value that at least *percent* of all do not exceed."""
    if not ordered:
        return None
    return round(ordered[-(-len(ordered) * percent // 100) - 1], 3)
