"""
How many workloads pass some conditions, in all and by what they have in common.

What the worker keeps as counts is exact; anything else is counted among the newest two
thousand, so that what it costs does not grow with how many there are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from django.db.models import Case, Q, QuerySet, Sum, Value, When

from console.orgs.models import Organization
from console.workloads.models import PendingClass, State, Workload
from console.workloads.queries.filters import WorkloadFilter
from console.workloads.queries.listing import driven_rows, is_of_class, reasons_of, waited, walks_of
from console.workloads.queries.waiting import waiting_reasons, waiting_without_queue
from console.workloads.queries.workloads import state_counts
from console.workloads.stored_assignments import flavors_of_text

#: Workloads among which is counted, the newest of those that an index finds.
MOST_COUNTED = 2_000

#: Groups of one answer, the largest.
MOST_GROUPS = 200

#: What workloads can be grouped by.
GROUPINGS = ("reason", "queue", "flavor", "user", "project")

_NOTHING = WorkloadFilter()


@dataclass(frozen=True, slots=True)
class Total:
    """How many pass; when not *is_exact* those among the newest `MOST_COUNTED`."""

    count: int
    is_exact: bool


@dataclass(frozen=True, slots=True)
class Group:
    """Workloads that have *value* in common; None: those that have none."""

    value: str | None
    count: int


@dataclass(frozen=True, slots=True)
class Grouped:
    """Groups, the largest first."""

    groups: tuple[Group, ...]
    #: Whether all are counted; otherwise those among the newest `MOST_COUNTED`.
    is_exact: bool
    #: Whether there are more groups than these.
    is_cut: bool


def count_workloads(org: Organization, conditions: WorkloadFilter) -> Total:
    """Return how many workloads pass *conditions*."""
    if replace(conditions, state=None) == _NOTHING:
        counts = state_counts(org)
        held = counts[conditions.state] if conditions.state else sum(counts.values())
        return Total(held, is_exact=True)
    reasons = reasons_of(conditions)
    if reasons and all(map(is_of_class, reasons)):
        rest = replace(conditions, state=State.PENDING, reason=None, reason_class=None)
        kept = _kept(org, rest, "reason")
        if kept is not None and conditions.state in (None, State.PENDING):
            return Total(sum(kept[reason] for reason in reasons), is_exact=True)
    walks = walks_of(org, conditions)
    if walks:
        return _along(walks)
    rows, is_whole = _newest(org, conditions)
    return Total(rows[:MOST_COUNTED].count(), is_whole)


def _along(walks: Iterable[QuerySet[Workload]]) -> Total:
    """Count the rows of all *walks* together, up to MOST_COUNTED."""
    found = 0
    for walk in walks:
        found += walk.order_by("-pk")[: MOST_COUNTED + 1].count()
        if found > MOST_COUNTED:
            return Total(MOST_COUNTED, is_exact=False)
    return Total(found, is_exact=True)


def group_workloads(org: Organization, conditions: WorkloadFilter, by: str) -> Grouped:
    """Return the workloads that pass *conditions* by one of `GROUPINGS`, the largest first."""
    kept = _kept(org, conditions, by)
    if kept is not None:
        return _grouped(kept, is_exact=True)
    rows, is_whole = _newest(org, conditions)
    if by == "flavor":
        return _grouped(_by_flavor(rows), is_exact=is_whole)
    if by == "reason":
        rows = rows.annotate(
            kept_reason=Case(When(waited(), then=Value("")), default="present_reason")
        )
    column = "kept_reason" if by == "reason" else by
    values = rows.values_list(column, flat=True)[:MOST_COUNTED]
    return _grouped(Counter(value or None for value in values), is_exact=is_whole)


def _kept(org: Organization, conditions: WorkloadFilter, by: str) -> Counter[str | None] | None:
    """Return the groups that the worker keeps counts of; None when it does not keep these."""
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
    Return the rows among the newest that pass *conditions*, and whether these are all.

    The newest first, which their readers have to keep and to end at `MOST_COUNTED`: to count or to
    group in any order SQLite would go through what an index of names, or of users, has.
    """
    driven, rest = driven_rows(org, conditions)
    keys = driven.order_by("-pk").values_list("pk", flat=True)
    edges = list(keys[MOST_COUNTED - 1 : MOST_COUNTED + 1])
    rows = driven.filter(rest) if rest else driven
    if edges:
        rows = rows.filter(Q(pk__gte=edges[0]))
    return rows.order_by("-pk"), len(edges) < 2


def _by_flavor(rows: QuerySet[Workload]) -> Counter[str | None]:
    """Count by the flavors that were given; one that was given two counts with both."""
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
