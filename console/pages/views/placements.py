"""View of waiting workloads by cluster: where each could go, and why not elsewhere."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from console.capacity.queries.clusters import list_clusters
from console.configs.compiled_configs import find_compiled_config
from console.configs.services.place_waiting import place_waiting
from console.engine.disciplines import load_discipline
from console.expensive import Kind, expensive
from console.orgs.permissions import Actor
from console.pages.access import org_page
from console.pages.presenters.lists.addresses import pager_of
from console.pages.shell import render_page
from console.policies.queries import active_policy
from console.workloads.models import State
from console.workloads.queries.filters import WorkloadFilter
from console.workloads.queries.listing import list_workloads

#: Waiting workloads and clusters on one page.
_ROWS, _COLUMNS = 20, 10


@org_page
@require_safe
def placements(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Show the newest waiting workloads with the verdict on every cluster."""
    org, query = actor.org, request.GET
    clusters = list_clusters(org, _COLUMNS, query.get("columns"))
    places = load_discipline(active_policy(org).discipline).reads_inventory
    waiting = WorkloadFilter(state=State.PENDING)
    page = list_workloads(org, waiting, _ROWS, query.get("cursor"))
    results = {}
    if places and clusters.results and page.results:
        with expensive(Kind.ROUTE, org.pk, actor.key):
            results = place_waiting(actor, find_compiled_config(org, "active"), page.results)
    context = {
        "places": places,
        "columns": [each.name for each in clusters.results],
        "columns_pager": pager_of(request.path, query, clusters, "columns"),
        "rows": [
            (row, [results[row.uid].get(each.name) for each in clusters.results])
            for row in page.results
            if row.uid in results
        ],
        "pager": pager_of(request.path, query, page),
    }
    return render_page(request, actor, "tester/placements.html", context, section="capacity")
