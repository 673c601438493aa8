"""Routing of all workloads to the queue of jobs."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass

from console.engine.disciplines.placement.spec import QUEUE
from console.engine.model.route import Route
from console.engine.model.routing import Destination
from console.engine.model.workload import Workload


@dataclass(frozen=True, slots=True)
class JobRouting:
    """
    Every workload is routed to the only queue.

    All workloads have priority 0, because SkyShift places them in the order of their arrival.
    """

    name = "jobs"
    label_keys = frozenset[str]()
    may_drain = False
    takes_everything = True
    is_without_quota = False
    reads_users = False

    def attributes(self, workload: Workload) -> Hashable:
        """Return None: the route of all workloads is the same."""
        return None

    def finder(self, queues: Mapping[str, Destination]) -> JobRouting:
        """Return the routing itself."""
        return self

    def route(self, workload: Workload) -> Route:
        """Return the route to the queue."""
        return Route(queue=QUEUE, priority=0)

    def label_values(self, workload: Workload, route: Route) -> Mapping[str, Iterable[str]]:
        """Return an empty mapping: no label changes the route."""
        return {}

    def entrances(self) -> Mapping[Hashable, str]:
        """Return the queue by its own name."""
        return {QUEUE: QUEUE}
