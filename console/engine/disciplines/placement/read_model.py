"""Read model of the queue: usage by cluster, and the requests of pending jobs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from console.engine.disciplines.placement.spec import placement_of
from console.engine.disciplines.read_model import (
    NO_REQUESTS,
    CapacityWording,
    Column,
    FairShare,
    Loan,
    Member,
    Requests,
    Unit,
    Used,
)
from console.engine.model.amounts import UNLIMITED, FlavorResource
from console.engine.model.capacity_node import CapacityNode
from console.engine.model.policy import Policy

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


class PlacementTree:
    """The tree of a policy: its queue, without nodes above it."""

    names: tuple[str, ...] = ()
    roots: tuple[str, ...] = ()

    def __init__(self, policy: Policy) -> None:
        self._queues = placement_of(policy).queues

    def queues(self, cohort: str) -> tuple[str, ...]:
        """Return nothing."""
        return ()

    def cohorts(self, cohort: str) -> tuple[str, ...]:
        """Return nothing."""
        return ()

    def path(self, cohort: str) -> tuple[str, ...]:
        """Return nothing."""
        return ()

    def below(self, cohort: str) -> Iterator[Member]:
        """Yield nothing."""
        yield from ()

    def queues_below(self, cohort: str) -> tuple[str, ...]:
        """Return nothing."""
        return ()

    def around(self, queue: str) -> tuple[str, ...]:
        """Return the queue alone; raise KeyError if it is unknown."""
        return (self._queues[queue].name,)


class PlacementCapacity:
    """The usage of the queue by cluster."""

    loans: tuple[Loan, ...] = ()

    def __init__(self, policy: Policy, used: Used) -> None:
        self.policy = policy
        self.used = used
        self.tree = PlacementTree(policy)

    def share(self, name: str, *, is_cohort: bool = False) -> FairShare | None:
        """Return None: there are no fair shares."""
        return None

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
            _node(
                "queue",
                (queue,),
                key,
                used.get(key, 0),
                requested.get(key[1], 0) if first.get(key[1]) == key else 0,
                cannot_run.get(key[1], 0) if first.get(key[1]) == key else 0,
            )
            for key in keys
        )

    def cohort_nodes(
        self, cohort: str, queues: Mapping[str, Iterable[CapacityNode]]
    ) -> tuple[CapacityNode, ...]:
        """Return nothing: there are no cohorts."""
        return ()


def organization_nodes(queues: Iterable[CapacityNode]) -> tuple[CapacityNode, ...]:
    """Return the sums over *queues*, a node for each cluster and resource."""
    sums: dict[FlavorResource, list[CapacityNode]] = {}
    for each in queues:
        sums.setdefault(each.key, []).append(each)
    return tuple(
        _node(
            "organization",
            (),
            key,
            sum(each.used for each in some),
            sum(each.demand for each in some),
            sum(each.cannot_run_demand for each in some),
        )
        for key, some in sums.items()
    )


def _node(
    kind: str, path: tuple[str, ...], key: FlavorResource, used: int, demand: int, cannot_run: int
) -> CapacityNode:
    return CapacityNode(
        kind=kind,
        path=path,
        flavor=key[0],
        resource=key[1],
        guaranteed=UNLIMITED,
        limit=UNLIMITED,
        used=used,
        entitled=UNLIMITED,
        demand=demand,
        cannot_run_demand=cannot_run,
    )
