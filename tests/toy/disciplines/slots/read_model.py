"""Read models of limits: a capacity node for every limited resource of a line."""

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
from console.engine.disciplines.slots.spec import SLOTS, slots_of
from console.engine.model.amounts import FlavorResource
from console.engine.model.capacity_node import CapacityNode

COLUMNS: Final = (
    Column(key="limit", title="Limit", help="The most that the line may use."),
    Column(key="used", title="Used", help="The requests of its running workloads."),
    Column(key="available", title="Available", help="What is left of the limit."),
    Column(
        key="demand",
        title="Requested",
        unit=Unit.DEMAND,
        help="The requests of its pending workloads.",
    ),
)


WORDING: Final = CapacityWording(
    title="Limits",
    flavor="Capacity",
    note="Amounts are in units of the resource.",
    nothing="No line has a limit.",
)


class LineCapacity(FlatCapacity):
    """The limits of a policy with their usage."""

    def keys(self, queue: str) -> tuple[FlavorResource, ...]:
        """Return the resources that *queue* limits, in the order of the text."""
        line = slots_of(self.policy).queues.get(queue)
        return tuple((SLOTS, resource) for resource in line.limit) if line is not None else ()

    def queue_nodes(
        self, queue: str, requested: Requests, cannot_run: Requests = NO_REQUESTS
    ) -> tuple[CapacityNode, ...]:
        """Return the nodes of *queue*: limited resources in the order of the text, then others."""
        line = slots_of(self.policy).queues.get(queue)
        limits = line.limit if line is not None else {}
        used, limited = self.used.get(queue, {}), self.keys(queue)
        nodes = []
        for key in dict.fromkeys((*limited, *sorted(used))):
            resource = key[1]
            limit = limits.get(resource, 0)
            nodes.append(
                CapacityNode(
                    kind="queue",
                    path=(queue,),
                    flavor=key[0],
                    resource=resource,
                    guaranteed=limit,
                    limit=limit,
                    used=used.get(key, 0),
                    entitled=limit,
                    demand=requested.get(resource, 0) if key in limited else 0,
                    cannot_run_demand=cannot_run.get(resource, 0) if key in limited else 0,
                )
            )
        return tuple(nodes)
