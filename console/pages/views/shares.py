"""The page of fair shares: all queues as a tree, with a trial of another number."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponseBase
from django.views.decorators.http import require_safe

from console.engine.disciplines.share_report import ShareNumber
from console.errors import BadRequest
from console.orgs.permissions import Actor
from console.pages.access import org_page
from console.pages.live import live_by
from console.pages.presenters.lists.addresses import PAGE_SIZE, pager_of
from console.pages.presenters.shares import resource_choices, share_rows, shown_resource
from console.pages.shell import render_page
from console.paging import Page, read_cursor, write_cursor
from console.reading import QueryReader
from console.workloads.queries.freshness import freshness_of, present_state_and_age
from console.workloads.queries.share_search import ShareSearch
from console.workloads.queries.shares import shares_of


@org_page
@require_safe
@live_by(present_state_and_age)
def shares(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    """Show the fair shares of all queues, also with one number changed."""
    org, query = actor.org, request.GET
    reader = QueryReader(query)
    wanted = reader.text("show") or ""
    tried = {name: reader.text(name) or "" for name in ("queue", "number", "resource", "value")}
    reader.finish()
    (start,) = read_cursor(query.get("cursor")) or (0,)
    errors: tuple[str, ...] = ()
    try:
        search = ShareSearch.from_query(query)
        found = shares_of(org, search.change, reclaiming=search.of or None)
    except BadRequest as refused:
        search = ShareSearch()
        found = shares_of(org)
        errors = tuple(each.message for each in refused.errors)
    context: dict[str, Any] = {"fresh": freshness_of(org), "shares": found, "errors": errors}
    if found is not None and found.report.queues:
        report = found.report
        end = start + PAGE_SIZE
        rest = write_cursor(end) if end < len(report.queues) else None
        page = Page(list(report.queues[start:end]), rest)
        resource = shown_resource(
            report, wanted or (search.change.resource if search.change else "")
        )
        context |= {
            "rows": share_rows(found, page.results, resource),
            "resource": resource,
            "choices": resource_choices(report, request.path, query, resource),
            "total": report.total,
            "offered": {resource: report.total[resource]},
            "remaining": {resource: left} if (left := report.remaining[resource]) else {},
            "pager": pager_of(request.path, query, page),
            "numbers": [each.value for each in ShareNumber],
            "resources": list(report.total),
            "tried": tried,
            "change": search.change,
            "detail": next((each for each in report.queues if each.name == search.of), None),
        }
    status = 400 if errors else 200
    return render_page(
        request, actor, "shares/index.html", context, section="shares", status=status
    )
