"""The page of placement rules, each with the number of workloads that it placed."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponseBase
from django.views.decorators.http import require_safe

from console.orgs.permissions import Actor
from console.pages.access import org_page
from console.pages.presenters.hierarchy.placement_rules import rule_rows
from console.pages.presenters.lists.addresses import PAGE_SIZE, pager_of
from console.pages.shell import render_page
from console.paging import Page, read_cursor, write_cursor
from console.reading import QueryReader
from console.workloads.queries.hierarchy.placement_hits import DAYS, placement_hits_of


@org_page
@require_safe
def placement_rules(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    """Show the placement rules of all partitions."""
    QueryReader(request.GET).finish()
    (start,) = read_cursor(request.GET.get("cursor")) or (0,)
    hits = placement_hits_of(actor.org)
    rules = list(hits.rules) if hits is not None else []
    end = start + PAGE_SIZE
    page = Page(rules[start:end], write_cursor(end) if end < len(rules) else None)
    context = {
        "hits": hits,
        "days": DAYS,
        "rows": rule_rows(page.results),
        "pager": pager_of(request.path, request.GET, page),
    }
    return render_page(request, actor, "placement/index.html", context, section="placement_rules")
