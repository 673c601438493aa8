"""Totals and groups of a list of workloads, and suggestions of a filter to remove."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.http import QueryDict
from django.urls import reverse

from console.engine.wording.reasons import reason_title
from console.orgs.models import Organization
from console.pages.presenters.lists.addresses import with_query
from console.pages.presenters.lists.filters import chips_of
from console.pages.templatetags.ui import count
from console.workloads.queries.filters import WorkloadFilter
from console.workloads.queries.groups import MOST_COUNTED, Grouped, Total, count_workloads

#: Maximum number of filters of an empty list that are removed for a suggestion, one at a time.
MOST_TRIED = 8

_WITHOUT = {
    "reason": "Withdrawn while waiting",
    "queue": "In no queue",
    "flavor": "No flavor",
    "user": "No user",
    "project": "No project",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupRow:
    """One group: count, width of its bar in percent, and the URL of its members."""

    title: str
    count: int
    width: int
    url: str
    #: The page that explains all members; empty unless the list is grouped by reason.
    explain_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupsTable:
    """The groups of a list."""

    what: str
    rows: tuple[GroupRow, ...]
    #: How the workloads were counted, in one sentence.
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterSuggestion:
    """The suggestion to remove one filter of an empty list."""

    without: str
    url: str
    total: str


def total_text(total: Total) -> str:
    r"""
    Return the text of the number of workloads in a list.

    >>> total_text(Total(1, True)), total_text(Total(2_000, False))
    ('1 workload', '2\u202f000+ workloads')
    >>> total_text(Total(12, False))
    '12 among the newest 2\u202f000 workloads'
    """
    noun = "workload" if total.count == 1 and total.is_exact else "workloads"
    if total.is_exact:
        return f"{count(total.count)} {noun}"
    if total.count >= MOST_COUNTED:
        return f"{count(MOST_COUNTED)}+ {noun}"
    return f"{count(total.count)} among the newest {count(MOST_COUNTED)} {noun}"


def groups_of(
    path: str,
    query: QueryDict,
    org: Organization,
    conditions: WorkloadFilter,
    by: str,
    found: Grouped,
) -> GroupsTable:
    """Return the groups of the list at *path* with *query*."""
    most = max((group.count for group in found.groups), default=1)
    note = "All workloads are counted."
    if not found.is_exact:
        note = f"Counted among the newest {count(MOST_COUNTED)} that an index finds."
    if found.is_cut:
        note += f" These are the {len(found.groups)} largest groups; there are more."
    return GroupsTable(
        what=by,
        rows=tuple(
            GroupRow(
                title=_title(by, group.value),
                count=group.count,
                width=max(1, round(100 * group.count / most)),
                url=_members(path, query, by, group.value),
                explain_url=_explain(org, conditions, group.value) if by == "reason" else "",
            )
            for group in found.groups
        ),
        note=note,
    )


def filter_suggestion(
    org: Organization, path: str, query: QueryDict, names: Iterable[str]
) -> FilterSuggestion | None:
    """Return the suggestion with the fewest workloads; None if all lists would be empty."""
    found: list[tuple[int, FilterSuggestion]] = []
    for chip in chips_of(path, query, names)[:MOST_TRIED]:
        rest = QueryDict(chip.remove_url.partition("?")[2])
        total = count_workloads(org, WorkloadFilter.from_query(rest, org))
        if total.count:
            without = f"{chip.name} {chip.value}"
            suggestion = FilterSuggestion(
                without=without, url=chip.remove_url, total=total_text(total)
            )
            found.append((total.count, suggestion))
    return min(found, key=lambda pair: pair[0])[1] if found else None


def _title(by: str, value: str | None) -> str:
    if value is None:
        return _WITHOUT[by]
    return reason_title(value) if by == "reason" else value


def _members(path: str, query: QueryDict, by: str, value: str | None) -> str:
    chosen = {"without": by} if value is None else {by: value}
    return with_query(path, query, **{**chosen, "group_by": None, "cursor": None})


def _explain(org: Organization, conditions: WorkloadFilter, reason: str | None) -> str:
    if reason is None:
        return ""
    query = QueryDict(mutable=True)
    query["reason"] = reason
    if conditions.queue:
        query["queue"] = conditions.queue
    return f"{reverse('pages:workloads-reason', args=[org.slug])}?{query.urlencode()}"
