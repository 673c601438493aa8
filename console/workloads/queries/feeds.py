"""Named reads of decisions, in order."""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import F, QuerySet

from console import statements
from console.orgs.models import Organization
from console.workloads.models import Decision, Workload

#: Decisions that one read looks through for some outcomes alone.
WINDOW = 10_000

#: Executors poll this query. There can be no rows at first and millions later, so it is planned
#: each time.
_END = """SELECT max(id) FROM (
        SELECT id FROM workloads_decision WHERE org_id = %s AND id > %s ORDER BY id LIMIT %s
    ) AS next
"""

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
    # Looked up first: what is decided meanwhile is not passed over, for the decisions of one
    # organization are written one batch after the other. And mostly there are none.
    asked = [org.pk, seq, WINDOW if outcomes else limit]
    ((end,),) = statements.rows(_END, asked, is_replanned=True)
    if end is None:
        return [], seq
    rows = Decision.objects.filter(org=org, pk__gt=seq, pk__lte=end).order_by("pk").defer("trace")
    if outcomes:
        rows = rows.filter(outcome__in=outcomes)
    found = list(_named(rows)[:limit])
    return found, found[-1].pk if len(found) == limit else end


def has_decisions(org: Organization, seq: int) -> bool:
    """Say whether anything was decided behind number *seq*."""
    ((end,),) = statements.rows(_END, [org.pk, seq, 1], is_replanned=True)
    return end is not None


def decisions_of(workload: Workload) -> list[Decision]:
    """Return the latest decisions about *workload*, newest first, with their traces."""
    return list(Decision.objects.filter(workload=workload).order_by("-pk")[:_SHOWN])


def _named(rows: QuerySet[Decision]) -> QuerySet[Decision]:
    return rows.annotate(workload_uid=F("workload__uid"), workload_name=F("workload__name"))
