"""Read model of the queue: usage by cluster, and the requests of pending jobs."""

from __future__ import annotations

from typing import Final

from console.engine.disciplines.flat_read_model import FlatCapacity
from console.engine.disciplines.read_model import (
    NO_REQUESTS,
    CapacityWording,
    Column,
    Requests,
    Unit,
)
from console.engine.model.amounts import UNLIMITED, FlavorResource
from console.engine.model.capacity_node import CapacityNode

#: Name of the row of a resource with the requests of pending jobs, which may go to any cluster.
ANY_CLUSTER: Final = "any cluster"

COLUMNS: Final = (
    Column(key="used", title="Used", help="The requests of the jobs that run on the cluster."),
    Column(
        key="demand",
        title="Requested",
        unit=Unit.DEMAND,
        help="The requests of pending jobs, whichever cluster takes them.",
    ),
)


WORDING: Final = CapacityWording(
    title="Usage",
    flavor="Cluster",
    note=(
        "Amounts are in units of the resource. Requested is the total of pending jobs, whichever "
        "cluster takes them. Requests of jobs that no cluster can take are counted separately."
    ),
    nothing="Nothing is used. The page Capacity lists the clusters that may take jobs.",
)


class PlacementCapacity(FlatCapacity):
    """The usage of the queue by cluster."""

    def keys(self, queue: str) -> tuple[FlavorResource, ...]:
        """Return nothing: the config limits no usage."""
        return ()

    def queue_nodes(
        self, queue: str, requested: Requests, cannot_run: Requests = NO_REQUESTS
    ) -> tuple[CapacityNode, ...]:
        """Return the used resources by cluster, and a row for requests of each other resource."""
        used = self.used.get(queue, {})
        first: dict[str, FlavorResource] = {}
        for key in sorted(used):
            first.setdefault(key[1], key)
        for resource in sorted({*requested, *cannot_run}):
            first.setdefault(resource, (ANY_CLUSTER, resource))
        keys = sorted({*used, *first.values()})
        return tuple(
            CapacityNode(
                kind="queue",
                path=(queue,),
                flavor=key[0],
                resource=key[1],
                guaranteed=UNLIMITED,
                limit=UNLIMITED,
                used=used.get(key, 0),
                entitled=UNLIMITED,
                demand=requested.get(key[1], 0) if first.get(key[1]) == key else 0,
                cannot_run_demand=cannot_run.get(key[1], 0) if first.get(key[1]) == key else 0,
            )
            for key in keys
        )
