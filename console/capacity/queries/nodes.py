"""Search among the nodes of one cluster."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from django.db.models import QuerySet
from django.db.models.lookups import Exact
from django.http import QueryDict

from console.capacity.models import Cluster, Node
from console.chunks import chunks
from console.label_values import label_value
from console.orgs.models import Organization
from console.paging import Page, read_cursor, write_cursor
from console.reading import QueryReader


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeSearch:
    """Conditions on the nodes of a cluster, all of which have to be met."""

    #: A part of the name, case-insensitive.
    q: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    ready: bool | None = None

    @classmethod
    def from_query(cls, query: QueryDict) -> NodeSearch:
        """Return the search in *query*; raises BadRequest with every wrong value."""
        reader = QueryReader(query)
        ready = reader.choice("ready", ["true", "false"])
        found = cls(
            q=reader.text("q") or "",
            labels=reader.labels(),
            ready=None if ready is None else ready == "true",
        )
        reader.finish()
        return found

    def applied(self, nodes: QuerySet[Node]) -> QuerySet[Node]:
        """Return those of *nodes* that match."""
        if self.q:
            nodes = nodes.filter(name__icontains=self.q)
        for key, value in self.labels.items():
            nodes = nodes.filter(Exact(label_value("labels", key), value))
        return nodes if self.ready is None else nodes.filter(is_ready=self.ready)


def list_nodes(
    cluster: Cluster, search: NodeSearch, limit: int, cursor: str | None = None
) -> Page[Node]:
    """Return the next *limit* nodes that match, in order; raises BadRequest for a wrong cursor."""
    nodes = search.applied(Node.objects.filter(cluster=cluster)).order_by("position")
    if keys := read_cursor(cursor):
        nodes = nodes.filter(position__gt=keys[0])
    found = list(nodes[: limit + 1])
    if len(found) <= limit:
        return Page(found)
    return Page(found[:limit], write_cursor(found[limit - 1].position))


def known_names(cluster: Cluster, names: Collection[str]) -> set[str]:
    """Return those of *names* that are nodes of *cluster*."""
    nodes = Node.objects.filter(cluster=cluster)
    return {
        name
        for some in chunks(sorted(names))
        for name in nodes.filter(name__in=some).values_list("name", flat=True)
    }


def taken_of(
    org: Organization, nodes: Collection[tuple[str, str]]
) -> dict[tuple[str, str], dict[str, int]]:
    """
    Return what pods of other schedulers use of each of *nodes*, by names of cluster and node.

    In thousandths by resource; nodes of which they use nothing are absent.
    """
    clusters = {cluster for cluster, _ in nodes}
    rows = Node.objects.filter(cluster__org=org, cluster__name__in=clusters, taken__isnull=False)
    found = rows.values_list("cluster__name", "name", "taken")
    return {
        (cluster, name): taken or {} for cluster, name, taken in found if (cluster, name) in nodes
    }
