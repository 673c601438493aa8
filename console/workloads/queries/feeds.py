"""Named reads of decisions, in order."""

from __future__ import annotations

from django.db.models import F, QuerySet

from console.orgs.models import Organization
from console.workloads.models import Decision, Workload

#: Decisions of one workload that a page shows.
_SHOWN = 200


def decisions_after(org: Organization, seq: int, limit: int) -> list[Decision]:
    """
    Return the next *limit* decisions behind number *seq*, without their traces.

    Each has two further attributes: *workload_uid* and *workload_name*.
    """
    rows = Decision.objects.filter(org=org, pk__gt=seq).order_by("pk").defer("trace")
    return list(_named(rows)[:limit])


def decisions_of(workload: Workload) -> list[Decision]:
    """Return the latest decisions about *workload*, newest first, with their traces."""
    return list(Decision.objects.filter(workload=workload).order_by("-pk")[:_SHOWN])


def _named(rows: QuerySet[Decision]) -> QuerySet[Decision]:
    return rows.annotate(workload_uid=F("workload__uid"), workload_name=F("workload__name"))
