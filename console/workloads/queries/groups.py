"""
Counts of workloads that match conditions, in total and by group.

Counts that the worker stores are exact. Others are counted among the newest two thousand
workloads, so that the cost does not grow with their number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from django.db.models import Case, Q, QuerySet, Sum, Value, When

from console.orgs.models import Organization
from console.workloads.models import PendingClass, State, Workload
from console.workloads.queries.filters import WorkloadFilter
from console.workloads.queries.listing import (
    indexed_rows,
    is_of_class,
    reasons_of,
    walks_of,
    withdrawn_while_pending,
)
from console.workloads.queries.waiting import waiting_reasons, waiting_without_queue
from console.workloads.queries.workloads import state_counts
from console.workloads.stored_assignments import flavors_of_text

#: Maximum number of workloads among which matches are counted, the newest of an index range.
MOST_COUNTED = 2_000

#: Maximum number of returned groups, the largest.
MOST_GROUPS = 200

#: Values of the grouping of workloads.
GROUPINGS = ("reason", "queue", "flavor", "user", "project")

_NOTHING = WorkloadFilter()


@dataclass(frozen=True, slots=True)
class Total:
    """Number of matching workloads; unless *is_exact*, of those among the newest `MOST_COUNTED`."""

    count: int
    is_exact: bool


@dataclass(frozen=True, slots=True)
class Group:
    """Workloads with the same *value*; None for workloads without a value."""

    value: str | None
    count: int


@dataclass(frozen=True, slots=True)
class Grouped:
    """Groups, largest first."""

    groups: tuple[Group, ...]
    #: Whether all workloads are counted, instead of the newest `MOST_COUNTED`.
    is_exact: bool
    #: Whether there are further groups.
    is_cut: bool


def count_workloads(org: Organization, conditions: WorkloadFilter) -> Total:
    """Return the number of workloads that match *conditions*."""
    if replace(conditions, state=None) == _NOTHING:
        counts = state_counts(org)
        held = counts[conditions.state] if conditions.state else sum(counts.values())
        return Total(held, is_exact=True)
    reasons = reasons_of(conditions)
    if reasons and all(map(is_of_class, reasons)):
        rest = replace(conditions, state=State.PENDING, reason=None, reason_class=None)
        stored = _stored_groups(org, rest, "reason")
        if stored is not None and conditions.state in (None, State.PENDING):
            return Total(sum(stored[reason] for reason in reasons), is_exact=True)
    walks = walks_of(org, conditions)
    if walks:
        return _count_walks(walks)
    rows, is_whole = _newest(org, conditions)
    return Total(rows[:MOST_COUNTED].count(), is_whole)


def _count_walks(walks: Iterable[QuerySet[Workload]]) -> Total:
    """Count the rows of all *walks*, up to MOST_COUNTED."""
    found = 0
    for walk in walks:
        found += walk.order_by("-pk")[: MOST_COUNTED + 1].count()
        if found > MOST_COUNTED:
            return Total(MOST_COUNTED, is_exact=False)
    return Total(found, is_exact=True)


def group_workloads(org: Organization, conditions: WorkloadFilter, by: str) -> Grouped:
    """Return workloads that match *conditions*, grouped by one of `GROUPINGS`, largest first."""
    stored = _stored_groups(org, conditions, by)
    if stored is not None:
        return _grouped(stored, is_exact=True)
    rows, is_whole = _newest(org, conditions)
    if by == "flavor":
        return _grouped(_by_flavor(rows), is_exact=is_whole)
    if by == "reason":
        rows = rows.annotate(
            stored_reason=Case(
                When(withdrawn_while_pending(), then=Value("")), default="present_reason"
            )
        )
    column = "stored_reason" if by == "reason" else by
    values = rows.values_list(column, flat=True)[:MOST_COUNTED]
    return _grouped(Counter(value or None for value in values), is_exact=is_whole)


def _stored_groups(
    org: Organization, conditions: WorkloadFilter, by: str
) -> Counter[str | None] | None:
    """Return the groups from counts that the worker stores; None if it does not store them."""
    if conditions.state != State.PENDING:
        return None
    if replace(conditions, state=None, queue=None) != _NOTHING:
        return None
    if by == "reason":
        found: Counter[str | None] = Counter(waiting_reasons(org, conditions.queue))
        if conditions.queue is None:
            found.update(waiting_without_queue(org))
        return found
    if by != "queue":
        return None
    classes = PendingClass.objects.filter(org=org)
    if conditions.queue is not None:
        classes = classes.filter(queue=conditions.queue)
    sums = classes.order_by().values_list("queue").annotate(total=Sum("count"))
    found = Counter(dict(sums))
    if conditions.queue is None and (outside := sum(waiting_without_queue(org).values())):
        found[None] += outside
    return found


def _newest(org: Organization, conditions: WorkloadFilter) -> tuple[QuerySet[Workload], bool]:
    """
    Return the newest rows that match *conditions*, and whether these are all matching rows.

    The rows are newest first. Callers have to keep that order and to slice at `MOST_COUNTED`:
    without the order, SQLite would scan a whole index of names or users.
    """
    indexed, rest = indexed_rows(org, conditions)
    keys = indexed.order_by("-pk").values_list("pk", flat=True)
    edges = list(keys[MOST_COUNTED - 1 : MOST_COUNTED + 1])
    rows = indexed.filter(rest) if rest else indexed
    if edges:
        rows = rows.filter(Q(pk__gte=edges[0]))
    return rows.order_by("-pk"), len(edges) < 2


def _by_flavor(rows: QuerySet[Workload]) -> Counter[str | None]:
    """Count workloads by flavor; a workload with two flavors counts for both."""
    found: Counter[str | None] = Counter()
    counted = Counter(rows.values_list("flavors", flat=True)[:MOST_COUNTED])
    for text, count in counted.items():
        for flavor in flavors_of_text(text) or (None,):
            found[flavor] += count
    return found


def _grouped(found: Counter[str | None], *, is_exact: bool) -> Grouped:
    ordered = sorted(found.items(), key=lambda pair: (-pair[1], pair[0] is None, pair[0] or ""))
    groups = tuple(Group(value, count) for value, count in ordered[:MOST_GROUPS] if count)
    return Grouped(groups, is_exact, is_cut=len(ordered) > MOST_GROUPS)
