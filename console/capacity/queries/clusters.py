"""Clusters of an organization, in the order of registration."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Count, Max, QuerySet, Sum

from console.capacity.models import Cluster, Node
from console.errors import NotFound
from console.orgs.models import Organization
from console.paging import DEFAULT_LIMIT, Page, read_cursor, write_cursor

#: Nodes after which a page of clusters with their nodes ends.
NODES_ON_PAGE = 5000


def get_cluster(org: Organization, name: str, *, is_locked: bool = False) -> Cluster:
    """Return the cluster *name*, whose row is locked if requested; raises NotFound."""
    rows = Cluster.objects.select_for_update() if is_locked else Cluster.objects
    cluster = rows.filter(org=org, name=name).first()
    if cluster is None:
        raise NotFound(f"There is no cluster {name!r} in {org.slug}.")
    return cluster


def clusters_of(org: Organization) -> QuerySet[Cluster]:
    """Return all clusters, in the order of registration."""
    return Cluster.objects.filter(org=org).order_by("pk")


def list_clusters(
    org: Organization,
    limit: int = DEFAULT_LIMIT,
    cursor: str | None = None,
    *,
    q: str = "",
    with_nodes: bool = False,
) -> Page[Cluster]:
    """
    Return the next *limit* clusters whose names contain *q*, in the order of registration.

    A page for answers *with_nodes* ends before it would have more than `NODES_ON_PAGE` of them, but
    has at least one cluster. Raises BadRequest for a wrong cursor.
    """
    rows = clusters_of(org)
    if q:
        rows = rows.filter(name__icontains=q)
    if keys := read_cursor(cursor):
        rows = rows.filter(pk__gt=keys[0])
    found: list[Cluster] = []
    nodes = 0
    for cluster in rows[: limit + 1]:
        nodes += cluster.node_count if with_nodes else 0
        if found and (len(found) == limit or nodes > NODES_ON_PAGE):
            return Page(found, write_cursor(found[-1].pk))
        found.append(cluster)
    return Page(found)


def offered_resources(org: Organization, most: int) -> list[str]:
    """Return up to *most* resources that clusters offer: cpu, memory, then the others by name."""
    offers = clusters_of(org).values_list("offered", flat=True)
    names = {name for offered in offers for name, amount in offered.items() if amount}
    return sorted(names, key=lambda name: (name != "cpu", name != "memory", name))[:most]


def nodes_of(clusters: Iterable[Cluster]) -> dict[int, list[Node]]:
    """Return the nodes of each of *clusters* by its key, in order."""
    found: dict[int, list[Node]] = {cluster.pk: [] for cluster in clusters}
    rows = Node.objects.filter(cluster__in=list(found)).order_by("cluster_id", "position")
    for node in rows:
        found[node.cluster_id].append(node)
    return found


def capacity_version(org: Organization) -> str:
    """
    Return a text that changes with the clusters of *org*, and with their last heartbeats.

    Heartbeats change it every 15 seconds at most, so that they do not make open pages render all
    the time.
    """
    found = Cluster.objects.filter(org=org).aggregate(
        count=Count("pk"), newest=Max("pk"), versions=Sum("version"), seen=Max("last_seen")
    )
    seen = int(found["seen"].timestamp()) // 15 if found["seen"] else 0
    return f"{found['count']}.{found['newest'] or 0}.{found['versions'] or 0}.{seen}"
