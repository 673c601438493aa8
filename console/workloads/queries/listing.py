"""The list of workloads with any filters, in the order of an index; a page has a limited cost."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from enum import StrEnum
from typing import Any

from django.db import connection
from django.db.models import Q, QuerySet
from django.db.models.lookups import Exact
from django.http import QueryDict
from django.utils import timezone

from console.engine.model.reasons import Reason, ReasonClass, reason_of, registered_reasons
from console.errors import BadRequest, FieldError
from console.label_values import label_value
from console.orgs.models import Organization
from console.paging import (
    Page,
    merged_newest_first,
    merged_oldest_first,
    newest_first,
    oldest_first,
)
from console.reading import QueryReader
from console.workloads.models import LabelSet, State, Workload
from console.workloads.queries.filters import WorkloadFilter
from console.workloads.queries.flavors import flavor_sets
from console.workloads.queries.workloads import (
    pending_in_order,
    with_list_columns,
    workload_rows,
)

#: Maximum delay between the submission time of a row and its commit.
_LATE = timedelta(seconds=30)

#: Conditions that an index serves in order, the most selective first.
_DRIVING = (
    ("queue", "state"),
    ("user",),
    ("project",),
    ("type", "state"),
    ("flavors",),
    ("state",),
    ("reason",),
)

#: States of few or none of the workloads that were ever assigned a flavor.
_FEW_OF_FLAVOR = frozenset(State.values) - {State.FINISHED}

#: Maximum number of index walks that one page merges.
_FEW_WALKS = 20

#: Maximum number of label sets that are searched before the workloads.
_MANY_SETS = 5000

#: Maximum number of workloads with one name prefix that are read individually.
_FEW = 500


def is_of_class(reason: Reason) -> bool:
    """
    Return whether only pending workloads have *reason*, and their `PendingClass` may store it.

    Such a workload may have a different reason in its last decision.
    """
    return reason.reason_class.is_pending and not reason.is_of_workload


def withdrawn_while_pending() -> Q:
    """Return the condition for workloads withdrawn while pending, whose reason is outdated."""
    reasons = [reason for reason in registered_reasons() if is_of_class(reason)]
    return Q(state=State.WITHDRAWN, reason__in=reasons)


def reasons_of(conditions: WorkloadFilter) -> list[Reason]:
    """Return the reasons that match *conditions*, by class or code; empty if all match."""
    found = [reason_of(conditions.reason)] if conditions.reason else list(registered_reasons())
    if conditions.reason_class:
        return [each for each in found if each.reason_class == conditions.reason_class]
    return found if conditions.reason else []


class Order(StrEnum):
    """The order of a list of workloads; each walks along an index."""

    NEWEST = "newest"
    OLDEST = "oldest"
    #: The pending workloads of one queue, in the order in which they are tried.
    PRIORITY = "priority"


def may_order(order: Order, conditions: WorkloadFilter) -> bool:
    """Return whether an index has the workloads that match *conditions* in this *order*."""
    if order is not Order.PRIORITY:
        return True
    queue = conditions.queue
    return queue is not None and conditions == WorkloadFilter(queue=queue, state=State.PENDING)


def read_order(query: QueryDict, conditions: WorkloadFilter) -> Order:
    """Return the order in *query*; raises BadRequest if it is unknown, or not that of an index."""
    reader = QueryReader(query)
    order = Order(reader.choice("sort", [str(each) for each in Order]) or Order.NEWEST)
    reader.finish()
    if not may_order(order, conditions):
        message = (
            "sort=priority orders the pending workloads of one queue: filter by state=pending and "
            "a queue, and by nothing else."
        )
        raise BadRequest([FieldError("sort", "invalid_choice", message)])
    return order


def list_workloads(
    org: Organization,
    conditions: WorkloadFilter,
    limit: int,
    cursor: str | None = None,
    order: Order = Order.NEWEST,
) -> Page[Workload]:
    """Return the first workloads that match *conditions* in an *order*, like `workload_rows`."""
    if order is Order.PRIORITY:
        assert may_order(order, conditions), "no index has all workloads by priority"
        assert conditions.queue is not None
        return pending_in_order(org, conditions.queue, limit, cursor)
    is_newest = order is Order.NEWEST
    conditions = conditions.at(timezone.now())
    walks = walks_of(org, conditions)
    if walks:
        rows = _in_time(org, conditions)
        merge = merged_newest_first if is_newest else merged_oldest_first
        return merge(rows, walks, limit, cursor)
    indexed, rest = indexed_rows(org, conditions)
    return (newest_first if is_newest else oldest_first)(indexed, rest or None, limit, cursor)


def walks_of(org: Organization, conditions: WorkloadFilter) -> list[QuerySet[Workload]]:
    """Return index walks that together find all matches of *conditions*; empty without any."""
    conditions = conditions.at(timezone.now())
    exact, rest = _exact(org, conditions)
    return _walks(_in_time(org, conditions), exact) if not (rest or conditions.q) else []


def indexed_rows(org: Organization, conditions: WorkloadFilter) -> tuple[QuerySet[Workload], Q]:
    """Return rows that one index serves in order, and the conditions that are checked per row."""
    conditions = conditions.at(timezone.now())
    exact, rest = _exact(org, conditions)
    if conditions.q:
        few = _matching_keys(org, conditions.q)
        if few is not None:
            # No filter on the organization, which all have: SQLite would not use their keys.
            named = with_list_columns(Workload.objects.filter(pk__in=few))
            return named.filter(Q(**exact), rest, _time_of(conditions)), Q()
        rest &= _begins_with(conditions.q)
    rows = _in_time(org, conditions)
    if [] in (exact.get("label_set__in"), exact.get("flavors__in")):
        return rows.none(), Q()
    for names in _DRIVING:
        if names == ("flavors",) and exact.get("state") in _FEW_OF_FLAVOR:
            continue
        if all(name in exact for name in names):
            rows = rows.filter(**{name: exact.pop(name) for name in names})
            break
    return rows, rest & Q(**exact)


def _in_time(org: Organization, conditions: WorkloadFilter) -> QuerySet[Workload]:
    """
    Return the rows of the requested time range, limited by primary keys as well.

    A row is written within `_LATE` of its submission time. So a row that is older than *since* by
    this much was written before every requested row, and one that is younger than *until* by this
    much was written after them.
    """
    rows = workload_rows(org).filter(_time_of(conditions))
    times = Workload.objects.filter(org=org).values_list("pk", flat=True)
    if conditions.since:
        before = times.filter(submitted_at__lte=conditions.since - _LATE)
        last = before.order_by("-submitted_at").first() or 0
        rows = rows.filter(pk__gt=last)
    if conditions.until:
        after = times.filter(submitted_at__gte=conditions.until + _LATE)
        first = after.order_by("submitted_at").first()
        if first is not None:
            rows = rows.filter(pk__lt=first)
    return rows


def _time_of(conditions: WorkloadFilter) -> Q:
    time = Q()
    if conditions.since:
        time &= Q(submitted_at__gte=conditions.since)
    if conditions.until:
        time &= Q(submitted_at__lt=conditions.until)
    return time


def _exact(org: Organization, conditions: WorkloadFilter) -> tuple[dict[str, Any], Q]:
    """Return the conditions that an index may serve, and those that are checked per row."""
    exact: dict[str, Any] = {
        name: value
        for name in ("user", "project", "queue", "state", "type")
        if (value := getattr(conditions, name)) is not None
    }
    rest = Q()
    if conditions.reason or conditions.reason_class:
        rest &= _has_reason(conditions, exact)
    if conditions.flavor:
        given = flavor_sets(org, conditions.flavor)
        exact |= {"flavors": given[0]} if len(given) == 1 else {"flavors__in": given}
    if conditions.without:
        rest &= _lacks(conditions.without, exact)
    if conditions.priority:
        rest &= _has_priority(*conditions.priority)
    if conditions.labels:
        sets = _label_sets(org, conditions.labels)
        if sets is None:
            rest &= _has(conditions.labels, "label_set__labels")
        else:
            exact["label_set__in"] = sets
    return exact, rest


def _has_priority(least: int | None, most: int | None) -> Q:
    """Return the condition of a priority in a range; no index has priorities of all states."""
    condition = Q() if least is None else Q(priority__gte=least)
    return condition if most is None else condition & Q(priority__lte=most)


def _has_reason(conditions: WorkloadFilter, exact: dict[str, Any]) -> Q:
    """Add to *exact* the reason conditions that an index serves; return those checked by row."""
    reasons = reasons_of(conditions)
    if not reasons:
        return Q(pk__in=())
    rest = Q(present_reason__in=reasons) if len(reasons) > 1 else Q(present_reason=reasons[0])
    if any(is_of_class(each) for each in reasons):
        # Only pending workloads have reasons of this kind.
        if conditions.state not in (None, State.PENDING):
            rest &= Q(pk__in=())
        exact["state"] = State.PENDING
    elif not any(map(_may_be_of_class, reasons)) or conditions.state == State.REJECTED:
        if len(reasons) == 1:
            exact["reason"] = reasons[0]
        else:
            exact |= {"reason__in": reasons, "present_reason__in": reasons}
            return Q()
    return rest


def _may_be_of_class(reason: Reason) -> bool:
    """Return whether some workloads with *reason* are pending in a class, and others are not."""
    # For some reasons, workloads are pending in one config language and rejected in another.
    waits = reason.cannot_run and not reason.reason_class.is_pending
    return waits or reason.reason_class is ReasonClass.UNKNOWN


def _lacks(name: str, exact: dict[str, Any]) -> Q:
    """Add the absence of *name* to *exact*, or return the condition that is checked per row."""
    if name == "reason":
        return withdrawn_while_pending()
    if name == "flavor":
        return Q(flavors=None)
    if name in exact:
        return Q(pk__in=())
    exact[name] = None if name == "queue" else ""
    return Q()


def _walks(rows: QuerySet[Workload], exact: dict[str, Any]) -> list[QuerySet[Workload]]:
    """Return index walks that together serve *exact*; empty if no indexes do."""
    if exact.keys() in ({"queue"}, {"type"}):
        return [rows.filter(**exact, state=state) for state in State.values]
    if exact.keys() == {"flavors__in"} and len(exact["flavors__in"]) <= _FEW_WALKS:
        return [rows.filter(flavors=one) for one in exact["flavors__in"]]
    if exact.keys() == {"reason__in", "present_reason__in"}:
        return [rows.filter(Q(present_reason=one), reason=one) for one in exact["reason__in"]]
    if exact.keys() == {"label_set__in"} and len(exact["label_set__in"]) <= _FEW_WALKS:
        return [rows.filter(label_set=one) for one in exact["label_set__in"]]
    return []


def _label_sets(org: Organization, labels: Mapping[str, str]) -> list[int] | None:
    """Return the keys of label sets with *labels*; None if there are too many sets to search."""
    sets = LabelSet.objects.filter(org=org)
    if sets.values_list("pk")[_MANY_SETS : _MANY_SETS + 1]:
        return None
    return list(sets.filter(_has(labels, "labels")).values_list("pk", flat=True))


def _has(labels: Mapping[str, str], column: str) -> Q:
    condition = Q()
    for key, value in labels.items():
        condition &= Q(Exact(label_value(column, key), value))
    return condition


def _matching_keys(org: Organization, text: str) -> list[int] | None:
    """Return the keys of workloads with this id or name prefix; None if there are many."""
    # Index order: the order of the table would need all of these workloads.
    rows = Workload.objects.filter(org=org).order_by().values_list("pk", flat=True)
    found = [*rows.filter(_begins_with(text))[: _FEW + 1], *rows.filter(uid=text)]
    return found if len(found) <= _FEW else None


def _begins_with(text: str) -> Q:
    """Return the condition that the name begins with *text*, in a form that can use the index."""
    if connection.vendor == "postgresql":
        return Q(name__startswith=text)
    return Q(name__gte=text, name__lt=text + "\U0010ffff")
