"""Read model of queues without nodes above them, and without loans and fair shares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from console.engine.disciplines.read_model import CapacityTree, FairShare, Loan, Member, Used
from console.engine.model.amounts import Amount, FlavorResource
from console.engine.model.capacity_node import CapacityNode
from console.engine.model.policy import Policy


class FlatTree:
    """The tree of a policy whose queues have no parents."""

    names: tuple[str, ...] = ()
    roots: tuple[str, ...] = ()

    def __init__(self, policy: Policy) -> None:
        self._queues = policy.queues

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


class FlatCapacity:
    """The part of `Capacity` that is the same for all queues without parents."""

    loans: tuple[Loan, ...] = ()

    def __init__(self, policy: Policy, used: Used) -> None:
        self.policy = policy
        self.used = used
        self.tree: CapacityTree = FlatTree(policy)

    def share(self, name: str, *, is_cohort: bool = False) -> FairShare | None:
        """Return None: there are no fair shares."""
        return None

    def cohort_nodes(
        self, cohort: str, queues: Mapping[str, Iterable[CapacityNode]]
    ) -> tuple[CapacityNode, ...]:
        """Return nothing: there are no cohorts."""
        return ()


def sums(queues: Iterable[CapacityNode]) -> tuple[CapacityNode, ...]:
    """Return the sums over the nodes of all queues, a node for each flavor-resource."""
    groups: dict[FlavorResource, list[CapacityNode]] = {}
    for each in queues:
        groups.setdefault(each.key, []).append(each)
    return tuple(
        CapacityNode(
            kind="organization",
            path=(),
            flavor=flavor,
            resource=resource,
            guaranteed=_sum(each.guaranteed for each in nodes),
            limit=_sum(each.limit for each in nodes),
            used=sum(each.used for each in nodes),
            entitled=_sum(each.entitled for each in nodes),
            demand=sum(each.demand for each in nodes),
            cannot_run_demand=sum(each.cannot_run_demand for each in nodes),
        )
        for (flavor, resource), nodes in groups.items()
    )


def _sum(amounts: Iterable[Amount]) -> Amount:
    total: Amount = 0
    for each in amounts:
        total += each
    return total
