"""Read models of limits: a capacity node for every limited resource of a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

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
from console.engine.disciplines.slots.spec import SLOTS, slots_of
from console.engine.model.amounts import Amount, FlavorResource
from console.engine.model.capacity_node import CapacityNode
from console.engine.model.policy import Policy

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


class LineTree:
    """The tree of a policy, without nodes above its lines."""

    names: tuple[str, ...] = ()
    roots: tuple[str, ...] = ()

    def __init__(self, policy: Policy) -> None:
        self._lines = slots_of(policy).queues

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
        """Return the line alone; raise KeyError if it is unknown."""
        return (self._lines[queue].name,)


class LineCapacity:
    """The limits of a policy with their usage."""

    loans: tuple[Loan, ...] = ()

    def __init__(self, policy: Policy, used: Used) -> None:
        self.policy = policy
        self.used = used
        self.tree = LineTree(policy)

    def share(self, name: str, *, is_cohort: bool = False) -> FairShare | None:
        """Return None: there are no fair shares."""
        return None

    def keys(self, queue: str) -> tuple[FlavorResource, ...]:
        """Return the resources that *queue* limits, in the order of the text."""
        line = slots_of(self.policy).queues.get(queue)
        return tuple((SLOTS, resource) for resource in line.limit) if line is not None else ()

    def queue_nodes(
        self, queue: str, requested: Requests, cannot_run: Requests = NO_REQUESTS
    ) -> tuple[CapacityNode, ...]:
        """Return the nodes of *queue*: limited resources in the order of the text, then others."""
        line = slots_of(self.policy).queues.get(queue)
        limit = line.limit if line is not None else {}
        used, limited = self.used.get(queue, {}), self.keys(queue)
        return tuple(
            node(
                "queue",
                (queue,),
                key,
                limit=limit.get(key[1], 0),
                used=used.get(key, 0),
                demand=requested.get(key[1], 0) if key in limited else 0,
                cannot_run=cannot_run.get(key[1], 0) if key in limited else 0,
            )
            for key in dict.fromkeys((*limited, *sorted(used)))
        )

    def cohort_nodes(
        self, cohort: str, queues: Mapping[str, Iterable[CapacityNode]]
    ) -> tuple[CapacityNode, ...]:
        """Return nothing: there are no cohorts."""
        return ()


def organization_nodes(policy: Policy, queues: Iterable[CapacityNode]) -> tuple[CapacityNode, ...]:
    """Return the sums over *queues*, a node for each resource."""
    sums: dict[FlavorResource, list[CapacityNode]] = {}
    for each in queues:
        sums.setdefault(each.key, []).append(each)
    return tuple(
        node(
            "organization",
            (),
            key,
            limit=sum(each.limit for each in some if isinstance(each.limit, int)),
            used=sum(each.used for each in some),
            demand=sum(each.demand for each in some),
            cannot_run=sum(each.cannot_run_demand for each in some),
        )
        for key, some in sums.items()
    )


def node(
    kind: str,
    path: tuple[str, ...],
    key: FlavorResource,
    *,
    limit: Amount,
    used: int,
    demand: int,
    cannot_run: int,
) -> CapacityNode:
    """Return a capacity node whose quota amounts all equal *limit*."""
    return CapacityNode(
        kind=kind,
        path=path,
        flavor=key[0],
        resource=key[1],
        guaranteed=limit,
        limit=limit,
        used=used,
        entitled=limit,
        demand=demand,
        cannot_run_demand=cannot_run,
    )
