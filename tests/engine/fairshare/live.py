"""Live states of the discipline for tests: policies, nodes and workloads in whole units."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from console.engine.disciplines.fairshare.resources import Bounds, PerResource
from console.engine.disciplines.fairshare.spec import FairQueue, FairshareSpec, Settings
from console.engine.model.amounts import SCALE, UNLIMITED, Amount
from console.engine.model.inventory import Cluster, Inventory, Node
from console.engine.model.policy import Policy
from console.engine.model.route import Route
from console.engine.model.routing import Destination
from console.engine.model.workload import PodSet, Workload


@dataclass(frozen=True, slots=True)
class LabelRouting:
    """Routes by the label ``queue``, with the stated priority or 50."""

    name = "label"
    label_keys = frozenset({"queue"})
    may_drain = False
    takes_everything = True
    is_without_quota = False
    reads_users = False

    def attributes(self, workload: Workload) -> Hashable:
        """Return the queue and the priority."""
        return workload.labels["queue"], workload.priority

    def finder(self, queues: Mapping[str, Destination]) -> LabelRouting:
        """Return the routing itself."""
        return self

    def route(self, workload: Workload) -> Route:
        """Return the route to the queue."""
        priority = 50 if workload.priority is None else workload.priority
        return Route(queue=workload.labels["queue"], priority=priority)

    def label_values(self, workload: Workload, route: Route) -> Mapping[str, Iterable[str]]:
        """Return nothing."""
        return {}

    def entrances(self) -> Mapping[Hashable, str]:
        """Return nothing."""
        return {}


def policy(queues: Iterable[FairQueue], **settings: Any) -> Policy:
    """Return a policy of *queues*."""
    spec = FairshareSpec(queues={each.name: each for each in queues}, settings=Settings(**settings))
    return Policy(dialect="kai", spec=spec, routing=LabelRouting())


def queue(
    name: str,
    parent: str | None = None,
    *,
    quota: float | None = 0,
    limit: float | None = None,
    weight: float = 1,
    **settings: Any,
) -> FairQueue:
    """Return a queue with a quota, limit and weight of GPUs; None and other resources: no bound."""
    return FairQueue(
        name=name,
        parent=parent,
        quota=_bounds(quota),
        limit=_bounds(limit),
        weight=PerResource(1.0, 1.0, float(weight)),
        **settings,
    )


def inventory(*gpus: int, cpu: int = 64) -> Inventory:
    """Return a cluster of nodes with *gpus*."""
    nodes = tuple(
        Node(
            name=f"n{number}",
            offered={"cpu": cpu * SCALE, "memory": 256 * 2**30 * SCALE, "gpu": count * SCALE},
        )
        for number, count in enumerate(gpus)
    )
    return Inventory(clusters={"c": Cluster(name="c", nodes=nodes)})


def workload(
    name: str,
    sequence: int,
    queue: str,
    *,
    gpu: float = 1,
    count: int = 1,
    min_count: int | None = None,
    priority: int | None = None,
    cpu: float = 0,
    is_preemptible: bool | None = None,
) -> Workload:
    """Return a workload of *count* pods with *gpu* GPUs each."""
    requests = {"gpu": round(gpu * SCALE), "cpu": round(cpu * SCALE)}
    return Workload(
        id=name,
        sequence=sequence,
        labels={"queue": queue},
        priority=priority,
        is_preemptible=is_preemptible,
        pod_sets=(
            PodSet(
                count=count,
                min_count=min_count,
                requests={key: amount for key, amount in requests.items() if amount},
            ),
        ),
    )


def _bounds(gpu: float | None) -> Bounds:
    bound: Amount = UNLIMITED if gpu is None else round(gpu * SCALE)
    return PerResource(UNLIMITED, UNLIMITED, bound)
