"""Queries of workloads: lists, a single workload, and its position in the queue."""

from __future__ import annotations

from django.db.models import (
    Case,
    CharField,
    F,
    JSONField,
    OuterRef,
    QuerySet,
    Subquery,
    Sum,
    When,
)
from django.db.models.functions import Coalesce

from console.engine.model import reasons
from console.errors import NotFound
from console.orgs.models import Organization
from console.paging import (
    Page,
    merged_newest_first,
    read_cursor,
    write_cursor,
)
from console.workloads.models import LIVE, Engine, LabelSet, PendingClass, State, Workload
from console.workloads.queries.demand import reasons_without_position

#: Added to priorities in cursors, which contain no negative numbers; the lowest priority is that
#: of a priority class, -2^31.
PRIORITY_SHIFT = 2**31

#: Number of counted workloads of one priority at which a position is unknown.
_COUNTED = 100_000


def workload_rows(org: Organization) -> QuerySet[Workload]:
    """Return an organization's workloads with the attributes that lists and pages use."""
    return with_list_columns(Workload.objects.filter(org=org))


def with_list_columns(rows: QuerySet[Workload]) -> QuerySet[Workload]:
    """
    Return *rows* with the attributes that lists and pages use.

    These are *labels*; *present_reason*, the reason that applies now, while *reason* is that of
    the last decision; *missing*, the shortage of a pending workload by "flavor/resource" in
    thousandths, or None; and *preemptor_name*, the name of its preemptor, or None.
    """
    labels = LabelSet.objects.filter(pk=OuterRef("label_set"))
    preemptor = Workload.objects.filter(org=OuterRef("org"), uid=OuterRef("preemptor"))
    waiting = PendingClass.objects.filter(org=OuterRef("org"), key=OuterRef("pending_class"))
    return rows.annotate(
        # No join, so that a query of only keys reads only an index.
        labels=Subquery(labels.values("labels")[:1]),
        present_reason=Case(
            When(
                state=State.PENDING,
                then=Coalesce(Subquery(waiting.values("reason")[:1]), F("reason")),
            ),
            default=F("reason"),
            output_field=CharField(),
        ),
        preemptor_name=Subquery(preemptor.values("name")[:1]),
        missing=Case(
            When(state=State.PENDING, then=Subquery(waiting.values("missing")[:1])),
            output_field=JSONField(),
        ),
    )


def get_workload(org: Organization, uid: str) -> Workload:
    """Return one workload like `workload_rows`; raises NotFound if there is none."""
    workload = workload_rows(org).filter(uid=uid).first()
    if workload is None:
        raise NotFound(f"There is no workload {uid!r} in {org.slug}.")
    return workload


def last_of_user(org: Organization, user: str) -> Workload | None:
    """Return the newest workload of *user*, with its id and name; None without any."""
    return Workload.objects.filter(org=org, user=user).only("uid", "name").order_by("-pk").first()


def state_counts(org: Organization) -> dict[str, int]:
    """Return the number of workloads in each state, as last written by the engine."""
    counts = Engine.objects.values_list("counts", flat=True).get(org=org)
    return {state: counts.get(state, 0) for state in State.values}


def live_count(org: Organization) -> int:
    """Return the number of running and pending workloads, as last written by the engine."""
    counts = state_counts(org)
    return sum(counts[state] for state in LIVE)


def reason_of(workload: Workload) -> str:
    """Return the reason that applies now; no query for workloads of `workload_rows`."""
    present: str | None = getattr(workload, "present_reason", None)
    if present is not None or workload.state != State.PENDING:
        return present or workload.reason
    waiting = PendingClass.objects.filter(org_id=workload.org_id, key=workload.pending_class)
    return waiting.values_list("reason", flat=True).first() or workload.reason


def pending_in_order(
    org: Organization, queue: str, limit: int, cursor: str | None = None
) -> Page[Workload]:
    """
    Return the pending workloads of *queue* in the order in which they are tried.

    In the form of `workload_rows`, with another attribute *position*: the place among workloads
    that can run, from 1; None for one that is deactivated or can never run. Later pages continue
    the numbers of the previous page.
    """
    keys = read_cursor(cursor, size=3)
    rows = workload_rows(org).filter(queue=queue, state=State.PENDING)
    ordered = rows.order_by("-priority", "pk")
    if keys is None:
        found, before = list(ordered[: limit + 1]), 0
    else:
        shifted, pk, before = keys
        priority = shifted - PRIORITY_SHIFT
        # Two walks along the index; a condition with OR would start at the front of the queue.
        found = list(ordered.filter(priority=priority, pk__gt=pk)[: limit + 1])
        if len(found) <= limit:
            found += ordered.filter(priority__lt=priority)[: limit + 1 - len(found)]
    page = found[:limit]
    for workload in page:
        has_position = reasons.reason_of(reason_of(workload)).has_position
        before += has_position
        workload.position = before if has_position else None  # type: ignore[attr-defined]
    if len(found) <= limit:
        return Page(page)
    last = page[-1]
    return Page(page, write_cursor((last.priority or 0) + PRIORITY_SHIFT, last.pk, before))


def running_of(
    org: Organization, queue: str, limit: int, cursor: str | None = None
) -> Page[Workload]:
    """Return the workloads that use quota of *queue*, newest first, like `workload_rows`."""
    rows = workload_rows(org).filter(queue=queue)
    walks = (rows.filter(state=state) for state in (State.ADMITTED, State.PREEMPTING))
    return merged_newest_first(rows, walks, limit, cursor)


def position_of(workload: Workload) -> int | None:
    """
    Return the position of a pending workload among those of its queue that can run, from 1.

    None if it is not pending in a queue, deactivated, can never run, or if too many workloads of
    the same priority are before it to be counted.
    """
    if workload.state != State.PENDING or workload.queue is None or workload.priority is None:
        return None
    if not reasons.reason_of(reason_of(workload)).has_position:
        return None
    higher = PendingClass.objects.filter(
        org_id=workload.org_id, queue=workload.queue, priority__gt=workload.priority
    ).exclude(reason__in=reasons_without_position())
    above = higher.aggregate(total=Sum("count"))["total"]
    earlier = earlier_in_queue(workload)[:_COUNTED].count()
    return None if earlier == _COUNTED else (above or 0) + earlier + 1


def earlier_in_queue(workload: Workload) -> QuerySet[Workload]:
    """Return workloads of the same queue and priority that are before a pending one and can run."""
    assert workload.priority is not None, "a pending workload in a queue has a priority"
    never = PendingClass.objects.filter(
        org_id=workload.org_id,
        queue=workload.queue,
        priority=workload.priority,
        reason__in=reasons_without_position(),
    )
    return Workload.objects.filter(
        org_id=workload.org_id,
        queue=workload.queue,
        state=State.PENDING,
        priority=workload.priority,
        pk__lt=workload.pk,
    ).exclude(pending_class__in=never.values("key"))
