"""Clusters, jobs and policies for tests of placement, and a plain model of where a job goes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from console.dialects.skyshift.routing import JobRouting
from console.engine.disciplines.placement.spec import QUEUE, PlacementQueue, PlacementSpec
from console.engine.model.inventory import Cluster, Inventory, Node
from console.engine.model.policy import Policy
from console.engine.model.workload import PodSet, Workload

MEBIBYTE: Final = 2**20 * 1000


def policy(**settings: Any) -> Policy:
    """Return a policy with these fields of its spec."""
    queues = {QUEUE: PlacementQueue(name=QUEUE)}
    return Policy(
        dialect="skyshift", spec=PlacementSpec(queues=queues, **settings), routing=JobRouting()
    )


def cluster(
    name: str,
    *nodes: Mapping[str, float],
    labels: Mapping[str, str] | None = None,
    is_ready: bool = True,
    has_failed: bool = False,
) -> Cluster:
    """Return a cluster of nodes that offer these amounts: memory in mebibytes, others in units."""
    return Cluster(
        name=name,
        labels=labels or {},
        is_ready=is_ready and not has_failed,
        has_failed=has_failed,
        nodes=tuple(
            Node(name=f"n{number}", offered=amounts(each)) for number, each in enumerate(nodes, 1)
        ),
    )


def amounts(values: Mapping[str, float]) -> dict[str, int]:
    """Return amounts in thousandths; memory and disk are given in mebibytes."""
    return {
        resource: round(value * (MEBIBYTE if resource in ("memory", "disk") else 1000))
        for resource, value in values.items()
    }


def inventory(clusters: Iterable[Cluster]) -> Inventory:
    """Return the inventory of *clusters*, in this order."""
    return Inventory(clusters={each.name: each for each in clusters})


def job(
    number: int,
    request: Mapping[str, float],
    *,
    replicas: int = 1,
    placement: Mapping[str, object] | None = None,
    labels: Mapping[str, str] | None = None,
) -> Workload:
    """Return a job of identical replicas."""
    pods = PodSet(name="main", count=replicas, requests=amounts(request))
    return Workload(
        id=f"w{number}",
        sequence=number,
        labels=labels or {},
        pod_sets=(pods,),
        placement=placement,
    )
