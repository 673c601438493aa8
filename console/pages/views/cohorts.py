"""Views of cohorts: the list, one cohort with matrix, loans and rules, and help on quota bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from django.views.decorators.http import require_safe

from console.configs.temporary_changes import temporary_of
from console.dialects.editable_numbers import COHORT
from console.orgs.models import Organization
from console.orgs.permissions import Actor, Permission
from console.pages.access import org_page
from console.pages.exports import export_links, export_response
from console.pages.live import live_by
from console.pages.parts import lazily
from console.pages.presenters.configs.schedule import scheduled_rows
from console.pages.presenters.lists.addresses import PAGE_SIZE, Pager, pager_of
from console.pages.presenters.quota.cohort_files import (
    COHORTS,
    LOANS,
    MEMBERS,
    cohorts_file,
    loans_file,
    members_file,
)
from console.pages.presenters.quota.cohort_list import cohort_row, has_no_limit, reason_rows
from console.pages.presenters.quota.lending import rules_rows, starved_notices
from console.pages.presenters.quota.loans import loan_groups, loan_row
from console.pages.presenters.quota.matrix import columns_of, matrix_rows
from console.pages.presenters.quota.sorting import cohort_sorts, level_choices, member_sorts
from console.pages.presenters.quota_bars.examples import bar_cases
from console.pages.shell import render_page
from console.pages.views.quota import may_change_cohort_quota
from console.paging import Page, read_cursor, write_cursor
from console.policies.queries import active_version
from console.series.queries import peaks_of
from console.series.subjects import Subject
from console.workloads.queries.cohort_search import CohortSearch, MemberSearch
from console.workloads.queries.cohorts import cohort_list, cohort_view
from console.workloads.queries.freshness import freshness_of, present_state_and_age

T = TypeVar("T")

#: Columns and rows of the matrix per page; each cell may have a drawing.
_COLUMNS = 6
_MEMBERS = 20
#: Rows of loans per page.
_LOANS = 6
#: Maximum number of starved queues with a notice; the others are counted.
_STARVED = 2
#: Value of the parameter `of` that exports the loans of a cohort.
_OF_LOANS = "loans"


def _version(org: Organization) -> str:
    """Return a text that changes with the data of pages of cohorts and with its age."""
    return present_state_and_age(org)


@org_page
@require_safe
@live_by(_version)
def cohorts(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    """List the cohorts of the active config, or export them."""
    search = CohortSearch.from_query(request.GET)
    every = cohort_list(actor.org)
    found = search.applied(every)
    file = export_response(
        request, actor, f"{actor.org.slug}-cohorts", COHORTS, cohorts_file(found)
    )
    if file is not None:
        return file
    fresh = freshness_of(actor.org)
    rows, pager = _part(request, found, PAGE_SIZE, "cursor")
    context = {
        "rows": [cohort_row(summary, fresh) for summary in rows],
        "pager": pager,
        "search": search,
        "sorts": cohort_sorts(request.path, request.GET, search.sort),
        "is_tree": search.is_tree,
        "total": len(every),
        "found": len(found),
        "exports": export_links(request.path, request.GET),
        "fresh": fresh,
    }
    return render_page(request, actor, "cohorts/index.html", context, section="cohorts")


@org_page
@require_safe
@live_by(_version)
def cohort(request: HttpRequest, actor: Actor, cohort: str) -> HttpResponseBase:
    """Show one cohort: pools, use by members, loans and reclaim rules; or export it."""
    org = actor.org
    search = MemberSearch.from_query(request.GET)
    view = cohort_view(org, cohort)
    found = search.applied(view)
    if request.GET.get("of") == _OF_LOANS:
        file = export_response(request, actor, f"{org.slug}-loans", LOANS, loans_file(view))
    else:
        file = export_response(
            request, actor, f"{org.slug}-cohort", MEMBERS, members_file(view, found)
        )
    if file is not None:
        return file
    fresh = freshness_of(org)
    peaks = {}
    if has_no_limit(view.summary):
        peaks = peaks_of(org, Subject.cohort(cohort), timezone.now())
    row = cohort_row(view.summary, fresh, peaks)
    columns = columns_of(view)
    shown, columns_pager = _part(request, columns, _COLUMNS, "columns")
    members, members_pager = _part(request, found, _MEMBERS, "members")
    groups, loans_pager = _part(request, loan_groups(view.loans, view.policy), _LOANS, "loans")
    starved = view.summary.starved
    loans_query = request.GET.copy()
    loans_query["of"] = _OF_LOANS
    context = {
        "row": row,
        "cohort": view.summary,
        "pools": list(zip(view.summary.pools, row.bars, strict=True)),
        "columns": shown,
        "column_count": len(columns),
        "columns_pager": columns_pager,
        "matrix": lazily(lambda: matrix_rows(view, members, shown, search, fresh)),
        "members_pager": members_pager,
        "member_count": len(view.members),
        "search": search,
        "sorts": member_sorts(request.path, request.GET, search.sort),
        "levels": level_choices(request.path, request.GET, view.summary, search.direct),
        "exports": export_links(request.path, request.GET),
        "loan_exports": export_links(request.path, loans_query),
        "has_shares": view.summary.share is not None,
        "loans": lazily(
            lambda: [loan_row(group, view.policy, view.over_quota_since) for group in groups]
        ),
        "loans_pager": loans_pager,
        "rules": lazily(lambda: rules_rows(members, view.members, view.policy)),
        "starved": starved_notices(starved[:_STARVED], view.policy),
        "more_starved": max(0, len(starved) - _STARVED),
        "reasons": lazily(lambda: reason_rows(view)),
        "version": active_version(org),
        "fresh": fresh,
        "temporary": scheduled_rows(
            actor.org.slug, temporary_of(actor.org, view.policy, COHORT, view.summary.name)
        ),
        "may_change_quota": may_change_cohort_quota(actor, view.summary, view.policy),
    }
    return render_page(request, actor, "cohorts/detail.html", context, section="cohorts")


@org_page
@require_safe
def quota_bars(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    """Explain quota bars by examples."""
    actor.require(Permission.READ)
    context = {"cases": bar_cases(timezone.now())}
    return render_page(request, actor, "cohorts/bars.html", context, section="cohorts")


def _part(
    request: HttpRequest, rows: Sequence[T], size: int, name: str
) -> tuple[Sequence[T], Pager]:
    """Return one page of *rows* and its pager; *name* is the parameter of its cursor."""
    (start,) = read_cursor(request.GET.get(name)) or (0,)
    rest = write_cursor(start + size) if start + size < len(rows) else None
    part = rows[start : start + size]
    return part, pager_of(request.path, request.GET, Page(list(part), rest), name)
