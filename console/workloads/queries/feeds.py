"""Named reads of what happened: decisions in order, and events."""

from __future__ import annotations

from django.db.models import F, Q, QuerySet

from console.orgs.models import Organization
from console.paging import Page, newest_first
from console.workloads.models import Decision, Event, Workload
from console.workloads.queries.filters import EventFilter

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


def list_events(
    org: Organization, conditions: EventFilter, limit: int, cursor: str | None = None
) -> Page[Event]:
    """Return the newest events that pass *conditions*, each with *workload_uid* (or None)."""
    rows = Event.objects.filter(org=org).annotate(workload_uid=F("workload__uid"))
    exact = {
        name: value
        for name in ("queue", "type", "level", "actor")
        if (value := getattr(conditions, name)) is not None
    }
    rest = Q()
    if conditions.since:
        rest &= Q(created_at__gte=conditions.since)
    if conditions.until:
        rest &= Q(created_at__lt=conditions.until)
    if conditions.workload:
        workload = Workload.objects.filter(org=org, uid=conditions.workload).first()
        # So few that each may be looked at.
        rows = rows.filter(rest, workload=workload, **exact) if workload else rows.none()
        return newest_first(rows, None, limit, cursor)
    for name in ("queue", "type"):
        if name in exact:
            rows = rows.filter(**{name: exact.pop(name)})
            break
    return newest_first(rows, (rest & Q(**exact)) or None, limit, cursor)


def _named(rows: QuerySet[Decision]) -> QuerySet[Decision]:
    return rows.annotate(workload_uid=F("workload__uid"), workload_name=F("workload__name"))
