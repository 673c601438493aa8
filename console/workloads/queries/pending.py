"""
Pending workloads of a queue by reason, and the position in the queue where its capacity ends.

Reasons are stored by class of equal workloads, so classes are read first. Then only the
workloads of a page, or a limited number in order, are read.
"""

from __future__ import annotations

from typing import Final

from django.db.models import OuterRef, Q, QuerySet, Subquery

from console.orgs.models import Organization
from console.paging import Page, read_cursor, write_cursor
from console.workloads.models import PendingClass, State, Workload
from console.workloads.queries.demand import short_of_quota_reasons
from console.workloads.queries.workloads import PRIORITY_SHIFT, with_list_columns

#: Maximum number of workloads that are scanned in order for one page of a frequent reason.
MOST_LOOKED: Final = 20_000
#: Maximum number of workloads, and of their classes, that are searched by class instead.
FEW, FEW_CLASSES = 2_000, 500
#: Maximum number of classes of one priority that are read for the end of the capacity.
_CLASSES: Final = 1_000


def pending_for_reason(
    org: Organization, queue: str, reason: str, limit: int, cursor: str | None = None
) -> Page[Workload]:
    """
    Return the pending workloads of *queue* with *reason*, in the order of the queue.

    In the form of `workload_rows`. A page may be short or empty and still have a next one, because
    at most `MOST_LOOKED` workloads are scanned for it.
    """
    after = read_cursor(cursor, size=2)
    classes = PendingClass.objects.filter(org=org, queue=queue, reason=reason)
    sizes = {key: (priority, count) for key, priority, count in classes.values_list(
        "key", "priority", "count"
    )}  # fmt: skip
    if not sizes:
        return Page([])
    top = max(priority for priority, _ in sizes.values())
    waiting = Workload.objects.filter(org=org, state=State.PENDING).order_by("-priority", "pk")
    columns = ("pk", "priority", "pending_class")
    if len(sizes) <= FEW_CLASSES and sum(count for _, count in sizes.values()) <= FEW:
        few = _after(waiting.filter(pending_class__in=list(sizes)), after)
        places = list(few.values_list(*columns)[: limit + 1])
        return _page(places, limit, places[-1] if len(places) > limit else None)
    ordered = _after(waiting.filter(queue=queue, priority__lte=top), after)
    found: list[tuple[int, int, str]] = []
    looked, last = 0, None
    for last in ordered.values_list(*columns)[:MOST_LOOKED].iterator(chunk_size=500):
        looked += 1
        if last[2] in sizes:
            found.append(last)
            if len(found) > limit:
                return _page(found, limit, last)
    return _page(found, limit, last if looked == MOST_LOOKED else None)


def capacity_end(org: Organization, queue: str) -> tuple[int, int] | None:
    """
    Return the place where the capacity of *queue* ends; None if no workload there lacks quota.

    That is the place, in the form of `place_of`, of the first pending workload for which the
    engine has found too little quota. Its result for a class is stored, and deleted by each change
    that might help the class: so a workload of such a class does not fit now, even alone.
    """
    short = PendingClass.objects.filter(
        org=org, queue=queue, reason__in=short_of_quota_reasons()
    ).order_by("-priority")
    top = short.values_list("priority", flat=True).first()
    if top is None:
        return None
    members = Workload.objects.filter(
        org=org, pending_class=OuterRef("key"), state=State.PENDING
    ).order_by("pk")
    heads = (
        short.filter(priority=top)
        .annotate(head=Subquery(members.values("pk")[:1]))
        .values_list("head", flat=True)
    )
    found = [head for head in heads[:_CLASSES] if head is not None]
    return (-top, min(found)) if found else None


def place_of(workload: Workload) -> tuple[int, int]:
    """Return the place of a pending workload in its queue; smaller places are first."""
    return -(workload.priority or 0), workload.pk


def _after(ordered: QuerySet[Workload], after: tuple[int, ...] | None) -> QuerySet[Workload]:
    if after is None:
        return ordered
    shifted, pk = after
    priority = shifted - PRIORITY_SHIFT
    later = Q(priority__lt=priority) | Q(priority=priority, pk__gt=pk)
    return ordered.filter(later, priority__lte=priority)


def _page(
    places: list[tuple[int, int, str]],
    limit: int,
    last: tuple[int, int, str] | None,
) -> Page[Workload]:
    """Return the rows at *places*; the next page starts after *last*, None at the end."""
    shown = places[:limit]
    rows = with_list_columns(Workload.objects.filter(pk__in=[pk for pk, _, _ in shown])).order_by()
    by_key = {each.pk: each for each in rows}
    page = [by_key[pk] for pk, _, _ in shown if pk in by_key]
    if last is None:
        return Page(page)
    pk, priority, _ = shown[-1] if len(places) > limit else last
    return Page(page, write_cursor(priority + PRIORITY_SHIFT, pk))
