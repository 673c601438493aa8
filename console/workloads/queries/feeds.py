"""Queries of decisions in order: the feed for executors, and decisions about one workload."""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import F, QuerySet

from console import statements
from console.orgs.models import Organization
from console.workloads.models import Decision, Workload

#: Maximum number of decisions that one read scans for requested outcomes.
WINDOW = 10_000

#: Executors poll this query. The table may be empty at first and have millions of rows later, so
#: the query is planned each time.
_END = """SELECT max(id) FROM (
        SELECT id FROM workloads_decision WHERE org_id = %s AND id > %s ORDER BY id LIMIT %s
    ) AS next
"""

#: Maximum number of decisions of one workload on a page.
_SHOWN = 200


def decisions_after(
    org: Organization, seq: int, limit: int, outcomes: Collection[str] = ()
) -> tuple[list[Decision], int]:
    """
    Return up to *limit* decisions after number *seq*, and the number after which to continue.

    With *outcomes*, only decisions with these outcomes among the next WINDOW are returned. The
    decisions have no traces and two more attributes: *workload_uid* and *workload_name*.
    """
    # The end is read first, so that concurrent decisions are not skipped: batches of one
    # organization are written one after the other. In most polls there are no new decisions.
    parameters = [org.pk, seq, WINDOW if outcomes else limit]
    ((end,),) = statements.rows(_END, parameters, is_replanned=True)
    if end is None:
        return [], seq
    rows = Decision.objects.filter(org=org, pk__gt=seq, pk__lte=end).order_by("pk").defer("trace")
    if outcomes:
        rows = rows.filter(outcome__in=outcomes)
    found = list(_named(rows)[:limit])
    return found, found[-1].pk if len(found) == limit else end


def has_decisions(org: Organization, seq: int) -> bool:
    """Return whether there are decisions after number *seq*."""
    ((end,),) = statements.rows(_END, [org.pk, seq, 1], is_replanned=True)
    return end is not None


def decisions_of(workload: Workload) -> list[Decision]:
    """Return the latest decisions about *workload*, newest first, with their traces."""
    return list(Decision.objects.filter(workload=workload).order_by("-pk")[:_SHOWN])


def _named(rows: QuerySet[Decision]) -> QuerySet[Decision]:
    return rows.annotate(workload_uid=F("workload__uid"), workload_name=F("workload__name"))
