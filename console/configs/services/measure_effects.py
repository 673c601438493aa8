"""Measure effects: outcomes of the workloads submitted in the day before and after a version."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q
from django.utils import timezone

from console.configs.models import ConfigVersion
from console.workloads.models import State, Workload

#: Length of the periods before and after a version.
DAY = timedelta(hours=24)
#: Maximum number of versions in one call, and of workloads evaluated on either side of a version.
MOST_VERSIONS = 20
MOST_WORKLOADS = 20_000


def measure_effects(now: datetime | None = None) -> int:
    """
    Store the effects of versions whose day has passed, oldest first; return their number.

    Each effect is written once; a concurrent call computes the same and changes nothing.
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
    Return the outcomes of workloads submitted within a day of *version*.

    ``before`` and ``after`` count the workloads submitted in that day, and those of them admitted
    by its end, with percentiles of their waits until the latest admission in seconds, None without
    admissions. ``rejected`` counts the workloads rejected in that day: in ``after``, also those
    submitted in the day before. On either side, at most `MOST_WORKLOADS` are evaluated, those
    nearest to the version. ``other_versions`` counts the other versions applied in the two days.
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
        # The version can reject workloads that were pending when it was applied.
        "after": _day(later, at, earlier),
        "other_versions": others.count(),
    }


_FIELDS = ("submitted_at", "admitted_at", "state", "ended_at")
_Row = tuple[datetime, datetime | None, str, datetime | None]


def _day(rows: Sequence[_Row], start: datetime, earlier: Sequence[_Row] = ()) -> dict[str, Any]:
    """Return the outcomes of *rows* in the day from *start*, with rejections of *earlier* rows."""
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
    """Return the smallest value that at least *percent* percent of the values do not exceed."""
    if not ordered:
        return None
    return round(ordered[-(-len(ordered) * percent // 100) - 1], 3)
