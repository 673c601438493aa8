"""Links that sort the list of cohorts or the members of a cohort, and that select the depth."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.http import QueryDict

from console.pages.presenters.lists.addresses import with_query
from console.workloads.queries.cohort_search import CohortSort, MemberSort
from console.workloads.queries.cohort_views import CohortSummary

_COHORTS = {
    CohortSort.TEXT: "Config",
    CohortSort.CONTENTION: "Contention",
    CohortSort.PENDING: "Pending",
    CohortSort.BORROWERS: "Borrowing",
    CohortSort.NAME: "Name",
}
_MEMBERS = {
    MemberSort.TEXT: "Config",
    MemberSort.PRESSURE: "Pressure",
    MemberSort.BORROWED: "Borrowed",
    MemberSort.LENT: "Lent",
    MemberSort.PENDING: "Pending",
    MemberSort.NAME: "Name",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One sort order or depth, and its URL."""

    title: str
    url: str
    is_current: bool


def cohort_sorts(path: str, query: QueryDict, current: CohortSort) -> tuple[Choice, ...]:
    """Return the sort orders of the list of cohorts, linked to the first page."""
    return tuple(
        Choice(
            title=title,
            url=with_query(
                path, query, sort=None if sort is CohortSort.TEXT else sort, cursor=None
            ),
            is_current=sort is current,
        )
        for sort, title in _COHORTS.items()
    )


def member_sorts(path: str, query: QueryDict, current: MemberSort) -> tuple[Choice, ...]:
    """Return the sort orders of the members of a cohort, linked to the first page."""
    return tuple(
        Choice(
            title=title,
            url=with_query(
                path, query, sort=None if sort is MemberSort.TEXT else sort, members=None
            ),
            is_current=sort is current,
        )
        for sort, title in _MEMBERS.items()
    )


def level_choices(
    path: str, query: QueryDict, cohort: CohortSummary, direct: bool
) -> Iterable[Choice]:
    """Return the depths at which members are shown; empty for a cohort without child cohorts."""
    if not cohort.cohorts:
        return ()
    return (
        Choice(
            title="All queues below",
            url=with_query(path, query, level=None, members=None),
            is_current=not direct,
        ),
        Choice(
            title="Direct members only",
            url=with_query(path, query, level="direct", members=None),
            is_current=direct,
        ),
    )
