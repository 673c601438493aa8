"""Named reads of decisions, in order."""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import F, Max, QuerySet

from console.orgs.models import Organization
from console.workloads.models import Decision, Workload

#: Decisions that one read looks through for some outcomes alone.
WINDOW = 10_000

#: Decisions of one workload that a page shows.
_SHOWN = 200


def decisions_after(
    org: Organization, seq: int, limit: int, outcomes: Collection[str] = ()
) -> tuple[list[Decision], int]:
    """
    Return the next *limit* decisions behind number *seq*, and the number to go on behind.

    With *outcomes* those alone, of the next WINDOW. They come without their traces, and each
    has two further attributes: *workload_uid* and *workload_name*.
    """
    behind = Decision.objects.filter(org=org, pk__gt=seq).order_by("pk")
    end = seq
    rows = behind
    if outcomes:
        # Looked up first: what is decided meanwhile is not passed over, for the decisions of one
        # organization are written one batch after the other.
        end = behind.values("pk")[:WINDOW].aggregate(last=Max("pk"))["last"] or seq
        rows = behind.filter(pk__lte=end, outcome__in=outcomes)
    found = list(_named(rows.defer("trace"))[:limit])
    if found and (len(found) == limit or not outcomes):
        end = found[-1].pk
    return found, end


def decisions_of(workload: Workload) -> list[Decision]:
    """Return the latest decisions about *workload*, newest first, with their traces."""
    return list(Decision.objects.filter(workload=workload).order_by("-pk")[:_SHOWN])


def _named(rows: QuerySet[Decision]) -> QuerySet[Decision]:
    return rows.annotate(workload_uid=F("workload__uid"), workload_name=F("workload__name"))
