"""Workloads for a request about many: those that match a filter, and states of selected ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from console.errors import BadRequest, FieldError
from console.orgs.models import Organization
from console.workloads.models import Workload
from console.workloads.org_filter import in_org
from console.workloads.queries.filters import WorkloadFilter
from console.workloads.queries.groups import Total, count_workloads
from console.workloads.queries.listing import list_workloads
from console.workloads.selection import MOST_SELECTED


def may_select_all(total: Total) -> bool:
    """Return whether *total* is exact and small enough for one request."""
    return total.is_exact and 0 < total.count <= MOST_SELECTED


def matching_ids(org: Organization, conditions: WorkloadFilter) -> list[str]:
    """
    Return the ids of the workloads that match *conditions*, newest first.

    Raises BadRequest if none, or more than `MOST_SELECTED`, match.
    """
    if may_select_all(count_workloads(org, conditions)):
        ids: list[str] = []
        cursor = None
        while len(ids) <= MOST_SELECTED:
            page = list_workloads(org, conditions, MOST_SELECTED + 1 - len(ids), cursor)
            ids += [each.uid for each in page.results]
            cursor = page.next
            if cursor is None and ids:
                return ids
            if cursor is None:
                break
    message = (
        f"The filters have to match 1 to {MOST_SELECTED} workloads to select all of them; "
        "change the filters."
    )
    raise BadRequest([FieldError("all", "wrong_length", message)], message)


def states_among(org: Organization, uids: Iterable[str]) -> Counter[str]:
    """Return the number of workloads in each state among those of *org* with *uids*."""
    rows = in_org(Workload.objects.filter(uid__in=list(uids)), org)
    return Counter(rows.values_list("state", flat=True))
