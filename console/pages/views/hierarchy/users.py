"""The page of users and groups: what they use in each queue, and which limit is tightest."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponseBase
from django.views.decorators.http import require_safe

from console.errors import BadRequest
from console.orgs.permissions import Actor
from console.pages.access import org_page
from console.pages.live import live_by
from console.pages.presenters.hierarchy.users import holder_heading, holder_rows, queues_of
from console.pages.presenters.lists.addresses import PAGE_SIZE, pager_of, with_query
from console.pages.shell import render_page
from console.paging import Page, read_cursor, write_cursor
from console.reading import QueryReader
from console.workloads.queries.freshness import freshness_of, present_state_and_age
from console.workloads.queries.hierarchy.user_search import UserSearch
from console.workloads.queries.hierarchy.user_usage import user_use_of


@org_page
@require_safe
@live_by(present_state_and_age)
def users(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    """Show users and groups with their limits, and one of them in detail."""
    org, query = actor.org, request.GET
    reader = QueryReader(query)
    of, of_kind = reader.text("of") or "", reader.choice("of_kind", ["user", "group"]) or "user"
    reader.finish()
    (start,) = read_cursor(query.get("cursor")) or (0,)
    errors: tuple[str, ...] = ()
    try:
        search = UserSearch.from_query(query)
    except BadRequest as refused:
        search, errors = UserSearch(), tuple(each.message for each in refused.errors)
    found = user_use_of(org)
    holders = found.holders if found is not None else ()
    listed = search.applied(holders)
    end = start + PAGE_SIZE
    page = Page(listed[start:end], write_cursor(end) if end < len(listed) else None)
    detail = next(
        (each for each in holders if each.name == of and each.is_group is (of_kind == "group")),
        None,
    )
    context = {
        "fresh": freshness_of(org),
        "use": found,
        "has_any": bool(holders),
        "errors": errors,
        "search": search,
        "rows": holder_rows(
            page.results,
            lambda name, kind: with_query(request.path, query, of=name, of_kind=kind),
        ),
        "is_past_end": bool(listed) and not page.results,
        "first_url": with_query(request.path, query, cursor=None),
        "pager": pager_of(request.path, query, page),
        "of": of,
        "close_url": with_query(request.path, query, of=None, of_kind=None),
        "detail": detail,
        "heading": holder_heading(detail) if detail is not None else "",
        "detail_queues": queues_of(detail) if detail is not None else (),
    }
    return render_page(
        request,
        actor,
        "users/index.html",
        context,
        section="users",
        status=400 if errors else 200,
    )
