"""Events: what happened, newest first."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.http import require_safe

from console.orgs.permissions import Actor
from console.pages.access import live_page, org_page
from console.pages.presenters.filters import canonical_query, chips_of
from console.pages.presenters.lists import PAGE_SIZE, pager_of
from console.pages.presenters.timeline import timeline_of
from console.pages.shell import render_page
from console.workloads.models import EventType, Level
from console.workloads.queries import EventFilter, list_events

FILTERS = ("type", "level", "queue", "actor", "workload", "since", "until")


@require_safe
@org_page
@live_page
def events(request: HttpRequest, actor: Actor) -> HttpResponse:
    """List events by the filters of the address."""
    query = canonical_query(request.GET)
    if query != request.GET and "v" not in request.GET and "HX-Request" not in request.headers:
        return HttpResponseRedirect(f"{request.path}?{query.urlencode()}".rstrip("?"))
    chosen = EventFilter.from_query(query)
    page = list_events(actor.org, chosen, PAGE_SIZE, query.get("cursor"))
    context = {
        "entries": timeline_of(actor.org, page.results),
        "pager": pager_of(request.path, query, page),
        "chips": chips_of(request.path, query, FILTERS),
        "chosen": query,
        "conditions": chosen,
        "types": EventType.values,
        "levels": Level.values,
    }
    return render_page(request, actor, "events/index.html", context, section="events")
