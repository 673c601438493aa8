"""Usage of nodes by the running workloads whose pods are bound to them, from the worker's rows."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping

from console.capacity.models import Cluster
from console.engine.live.node_usage import NodeKey
from console.orgs.models import Organization
from console.workloads.models import NodeUsage
from console.workloads.stored_texts import as_text


def node_usage_of(
    org: Organization, clusters: Collection[str] | None = None
) -> dict[NodeKey, dict[str, int]]:
    """
    Return the usage of each node, in thousandths by resource; nodes without usage are absent.

    With *clusters*, only nodes of these are read; they are few enough for one statement.
    """
    rows = NodeUsage.objects.filter(org=org)
    if clusters is not None:
        rows = rows.filter(cluster__in=clusters)
    # Read as the stored text: a converter for thousands of rows takes longer.
    columns = ("cluster", "node", as_text("used"))
    return {(name, node): json.loads(used) for name, node, used in rows.values_list(*columns)}


def deleted_clusters_in_use(org: Organization) -> list[str]:
    """Return the names of deleted clusters on whose nodes workloads still run, sorted."""
    present = Cluster.objects.filter(org=org).values("name")
    rows = NodeUsage.objects.filter(org=org).exclude(cluster__in=present)
    return list(rows.order_by("cluster").values_list("cluster", flat=True).distinct())


def usage_by_cluster(usage: Mapping[NodeKey, Mapping[str, int]]) -> dict[str, dict[str, int]]:
    """
    Return the sums of *usage* over the nodes of each cluster, by resource.

    >>> usage_by_cluster({("east", "n1"): {"cpu": 2}, ("east", "n2"): {"cpu": 1, "gpu": 1}})
    {'east': {'cpu': 3, 'gpu': 1}}
    """
    sums: dict[str, dict[str, int]] = {}
    for (cluster, _), used in usage.items():
        of_cluster = sums.setdefault(cluster, {})
        for resource, amount in used.items():
            of_cluster[resource] = of_cluster.get(resource, 0) + amount
    return sums


def free_of(
    offered: Mapping[str, int], used: Mapping[str, int], taken: Mapping[str, int] | None
) -> dict[str, int]:
    """
    Return what is left of *offered*, in thousandths; negative after the offer was reduced.

    Other schedulers have *taken* some of it.

    >>> free_of({"cpu": 8, "memory": 4}, {"cpu": 3, "gpus": 1}, {"cpu": 1})
    {'cpu': 4, 'memory': 4}
    """
    gone = taken or {}
    return {
        resource: amount - used.get(resource, 0) - gone.get(resource, 0)
        for resource, amount in offered.items()
    }
