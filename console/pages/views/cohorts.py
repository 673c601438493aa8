"""Cohorts: the list, and one with its matrix, loans and rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from console.configs.queries import active_version
from console.orgs.permissions import Actor
from console.pages.access import live_page, org_page
from console.pages.presenters.cohorts import cohort_row, columns_of, matrix_rows, reason_rows
from console.pages.presenters.lending import rules_rows, starved_notices
from console.pages.presenters.lists import PAGE_SIZE, Pager, pager_of
from console.pages.presenters.loans import loan_rows
from console.pages.shell import render_page
from console.paging import Page, read_cursor, write_cursor
from console.workloads.queries.cohorts import cohort_list, cohort_view

T = TypeVar("T")

#: Columns of the matrix that one page shows.
_COLUMNS = 6
#: Queues that go short, shown before the rest is only counted.
_STARVED = 5


@require_safe
@org_page
@live_page
def cohorts(request: HttpRequest, actor: Actor) -> HttpResponse:
    """List the cohorts of the active config, each tree in the order of its text."""
    rows, pager = _part(request, cohort_list(actor.org), PAGE_SIZE, "cursor")
    context = {"rows": [cohort_row(summary) for summary in rows], "pager": pager}
    return render_page(request, actor, "cohorts/index.html", context, section="cohorts")


@require_safe
@org_page
@live_page
def cohort(request: HttpRequest, actor: Actor, cohort: str) -> HttpResponse:
    """Show one cohort: what is pooled, who uses it, and who may take it back."""
    view = cohort_view(actor.org, cohort)
    row = cohort_row(view.summary)
    columns = columns_of(view)
    shown, columns_pager = _part(request, columns, _COLUMNS, "columns")
    members, members_pager = _part(request, view.members, PAGE_SIZE, "members")
    loans, loans_pager = _part(request, loan_rows(view.loans, view.policy), PAGE_SIZE, "loans")
    starved = view.summary.starved
    context = {
        "row": row,
        "cohort": view.summary,
        "pools": list(zip(view.summary.pools, row.bars, strict=True)),
        "columns": shown,
        "column_count": len(columns),
        "columns_pager": columns_pager,
        "matrix": matrix_rows(view, members, shown),
        "members_pager": members_pager,
        "has_shares": bool(view.policy.settings.fair_sharing),
        "loans": loans,
        "loans_pager": loans_pager,
        "rules": rules_rows(members, view.policy),
        "starved": starved_notices(starved[:_STARVED], view.policy),
        "more_starved": max(0, len(starved) - _STARVED),
        "reasons": reason_rows(view),
        "version": active_version(actor.org),
    }
    return render_page(request, actor, "cohorts/detail.html", context, section="cohorts")


def _part(
    request: HttpRequest, rows: Sequence[T], size: int, name: str
) -> tuple[Sequence[T], Pager]:
    """Return the rows of one page of a list that is computed whole; *name* is its cursor's."""
    (start,) = read_cursor(request.GET.get(name)) or (0,)
    rest = write_cursor(start + size) if start + size < len(rows) else None
    part = rows[start : start + size]
    return part, pager_of(request.path, request.GET, Page(list(part), rest), name)
