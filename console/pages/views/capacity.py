"""Views of capacity: the list of clusters, and one cluster with its nodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from console.capacity.models import Cluster
from console.capacity.queries.clusters import (
    capacity_version,
    get_cluster,
    list_clusters,
)
from console.capacity.queries.declared import declared_labels, unreported
from console.capacity.queries.nodes import NodeSearch, known_names, list_nodes
from console.capacity.services.delete_cluster import delete_cluster
from console.engine.live.node_usage import NodeKey
from console.errors import BadRequest, FieldError, NotFound
from console.orgs.models import Organization
from console.orgs.permissions import Actor, Permission
from console.pages.access import org_page
from console.pages.canonical import canonical_redirect
from console.pages.exports import export_links, export_response
from console.pages.live import live_by
from console.pages.presenters.capacity import (
    CLUSTERS,
    NODES,
    cluster_row,
    clusters_file,
    node_row,
    nodes_file,
)
from console.pages.presenters.lists.addresses import PAGE_SIZE, pager_of
from console.pages.presenters.lists.filters import canonical_query, chips_of
from console.pages.shell import live_version, render_page
from console.paging import MAX_LIMIT
from console.reading import QueryReader
from console.workloads.queries.cluster_workloads import workloads_on
from console.workloads.queries.node_usage import (
    deleted_clusters_in_use,
    node_usage_of,
    usage_by_cluster,
)

#: Maximum number of workloads on the page of a cluster.
_MOST_RUNNING: Final = 10


def _version(org: Organization) -> str:
    return f"{live_version(org)}.{capacity_version(org)}"


@org_page
@require_safe
@live_by(_version)
def capacity(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    """List the clusters, or export them."""
    org = actor.org
    query = canonical_query(request.GET)
    if redirect := canonical_redirect(request, query):
        return redirect
    reader = QueryReader(query)
    q = reader.text("q") or ""
    reader.finish()
    rows = clusters_file(lambda at: list_clusters(org, MAX_LIMIT, at, q=q))
    file = export_response(request, actor, f"{org.slug}-clusters", CLUSTERS, rows)
    if file is not None:
        return file
    page = list_clusters(org, PAGE_SIZE, query.get("cursor"), q=q)
    used = usage_by_cluster(node_usage_of(org, [each.name for each in page.results]))
    declared = declared_labels(org)
    context = {
        "rows": [
            cluster_row(each, used.get(each.name, {}), declared.get(each.name, {}))
            for each in page.results
        ],
        "unreported": unreported(org, declared),
        "deleted": deleted_clusters_in_use(org),
        "pager": pager_of(request.path, query, page),
        "q": q,
        "is_start": not query.get("cursor"),
        "exports": export_links(request.path, query),
        "api": request.build_absolute_uri(reverse("api:capacity", args=[org.slug])),
    }
    return render_page(request, actor, "capacity/index.html", context, section="capacity")


@org_page
@require_http_methods(["GET", "HEAD", "POST"])
def cluster(request: HttpRequest, actor: Actor, cluster: str) -> HttpResponseBase:
    """Show one cluster with its nodes, export these, or delete the cluster."""
    if request.method != "POST":
        shown: HttpResponseBase = _show(request, actor, cluster=cluster)
        return shown
    actor.require(Permission.REPORT_CAPACITY)
    if request.POST.get("do") != "delete":
        message = "Unknown action; use the buttons of the page."
        raise BadRequest([FieldError("do", "invalid_choice", message)])
    delete_cluster(actor, cluster)
    messages.success(request, f"The cluster {cluster} was deleted with its nodes.")
    return HttpResponseRedirect(reverse("pages:capacity", args=[actor.org.slug]))


def _missing(found: Cluster, usage: Mapping[NodeKey, Mapping[str, int]]) -> list[tuple[str, Any]]:
    """Return the nodes that the cluster does not have and on which workloads run, with usage."""
    named = {node for _, node in usage}
    known = known_names(found, named)
    return sorted((node, usage[found.name, node]) for node in named - known)


@live_by(_version)
def _show(request: HttpRequest, actor: Actor, cluster: str) -> HttpResponseBase:
    query = canonical_query(request.GET)
    if redirect := canonical_redirect(request, query):
        return redirect
    search = NodeSearch.from_query(query)
    usage = node_usage_of(actor.org, [cluster])
    try:
        found = get_cluster(actor.org, cluster)
    except NotFound:
        if not usage:
            raise
        return _deleted(request, actor, cluster, usage)
    rows = nodes_file(found, lambda at: list_nodes(found, search, MAX_LIMIT, at))
    file = export_response(request, actor, f"{actor.org.slug}-nodes", NODES, rows)
    if file is not None:
        return file
    page = list_nodes(found, search, PAGE_SIZE, query.get("cursor"))
    context = {
        "row": cluster_row(
            found,
            usage_by_cluster(usage).get(cluster, {}),
            declared_labels(actor.org).get(cluster, {}),
        ),
        "rows": [node_row(each, usage.get((cluster, each.name), {})) for each in page.results],
        "missing": _missing(found, usage),
        "running": workloads_on(actor.org, cluster, _MOST_RUNNING) if usage else [],
        "pager": pager_of(request.path, query, page),
        "chips": chips_of(request.path, query, ("q", "ready")),
        "chosen": query,
        "hidden_labels": [(name, query[name]) for name in query if name.startswith("label.")],
        "is_start": not query.get("cursor"),
        "exports": export_links(request.path, query),
    }
    return render_page(request, actor, "capacity/cluster.html", context, section="capacity")


def _deleted(
    request: HttpRequest,
    actor: Actor,
    cluster: str,
    usage: Mapping[NodeKey, Mapping[str, int]],
) -> HttpResponseBase:
    """Show the pods and nodes of a deleted cluster that are still in use."""
    nodes = sorted((node, used) for (_, node), used in usage.items())
    context = {
        "cluster": cluster,
        "running": workloads_on(actor.org, cluster, _MOST_RUNNING),
        "nodes": nodes[:PAGE_SIZE],
        "more": len(nodes) - len(nodes[:PAGE_SIZE]),
    }
    return render_page(request, actor, "capacity/deleted.html", context, section="capacity")
