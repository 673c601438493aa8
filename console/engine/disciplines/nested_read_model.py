"""
Read model of queues that are below other queues: guarantee, limit, usage and requests.

Usage above the guarantee is borrowed. A queue with others below has the usage of all of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import Generic, TypeVar

from console.engine.disciplines.nested_ledger import NestedLedger
from console.engine.disciplines.read_model import (
    NO_REQUESTS,
    CapacityTree,
    FairShare,
    Loan,
    Requests,
    Used,
)
from console.engine.model.amounts import Amount, FlavorResource
from console.engine.model.capacity_node import CapacityNode
from console.engine.model.policy import Policy

Ledger = TypeVar("Ledger", bound=NestedLedger)


class NestedCapacity(ABC, Generic[Ledger]):
    """The guarantee, limit and usage of every queue."""

    loans: tuple[Loan, ...] = ()
    #: The flavor of resources that workloads request.
    pool: str

    def __init__(self, policy: Policy, used: Used, ledger: Ledger, tree: CapacityTree) -> None:
        self.policy = policy
        self.used = used
        self.tree = tree
        for name in dict.fromkeys((*policy.queues, *used)):
            # Accounts are created now, so that later questions change nothing.
            for above in (name, *ledger.path(name)):
                ledger.queue(above)
            ledger.add(name, used.get(name, {}))
        self._ledger = ledger
        #: The latest nodes and the requests that they were computed for, by queue.
        self._queues: dict[str, tuple[tuple[Requests, Requests], tuple[CapacityNode, ...]]] = {}

    @abstractmethod
    def keys(self, queue: str) -> tuple[FlavorResource, ...]:
        """Return the flavor-resources that *queue* divides; none if the policy lacks it."""

    def extras(self, used: int, guaranteed: Amount, limit: Amount) -> dict[str, Amount | bool]:
        """Return further numbers about a queue."""
        return parts(used, guaranteed, limit)

    def share(self, name: str, *, is_cohort: bool = False) -> FairShare | None:
        """Return None: the usage alone does not say what a queue is entitled to."""
        return None

    def queue_nodes(
        self, queue: str, requested: Requests, cannot_run: Requests = NO_REQUESTS
    ) -> tuple[CapacityNode, ...]:
        """Return the nodes of *queue*: resources that it divides, then others."""
        last = self._queues.get(queue)
        if last is None or last[0] != (requested, cannot_run):
            asked = dict(requested), dict(cannot_run)
            last = self._queues[queue] = asked, self._nodes_of(queue, *asked)
        return last[1]

    def _nodes_of(
        self, queue: str, requested: Requests, cannot_run: Requests
    ) -> tuple[CapacityNode, ...]:
        if not self._ledger.knows(queue):
            return of_former_queue(queue, self.used.get(queue, {}))
        asked, never = self._by_key(requested), self._by_key(cannot_run)
        used = self._ledger.queue(queue).below
        return tuple(
            self._node("queue", queue, key, asked.get(key, 0), never.get(key, 0))
            for key in dict.fromkeys((*self.keys(queue), *sorted(used), *asked))
        )

    def cohort_nodes(
        self, cohort: str, queues: Mapping[str, Iterable[CapacityNode]]
    ) -> tuple[CapacityNode, ...]:
        """Return the nodes of a queue with others below; *queues* has those of the latter."""
        used = self._ledger.queue(cohort).below
        demand: dict[FlavorResource, int] = dict.fromkeys((*self.keys(cohort), *sorted(used)), 0)
        never: dict[FlavorResource, int] = {}
        for name in (cohort, *self.tree.queues_below(cohort)):
            for node in queues.get(name, ()):
                demand[node.key] = demand.get(node.key, 0) + node.demand
                never[node.key] = never.get(node.key, 0) + node.cannot_run_demand
        return tuple(
            self._node("cohort", cohort, key, asked, never.get(key, 0))
            for key, asked in demand.items()
        )

    def _node(
        self, kind: str, name: str, key: FlavorResource, demand: int, cannot_run: int
    ) -> CapacityNode:
        account = self._ledger.queue(name)
        used, guaranteed, limit = account.used(key), account.guaranteed(key), account.limit(key)
        entitled = account.available(key) + used
        return CapacityNode(
            kind=kind,
            path=(*account.path[::-1], name),
            flavor=key[0],
            resource=key[1],
            guaranteed=guaranteed,
            limit=limit,
            used=used,
            entitled=entitled if entitled > 0 else 0,
            demand=demand,
            cannot_run_demand=cannot_run,
            extras=self.extras(used, guaranteed, limit),
        )

    def _by_key(self, requests: Requests) -> dict[FlavorResource, int]:
        found: dict[FlavorResource, int] = {}
        for resource, amount in requests.items():
            key = self._ledger.counted((self.pool, resource))
            found[key] = found.get(key, 0) + amount
        return found


def sums(
    queues: Iterable[CapacityNode],
    guarantees: Mapping[FlavorResource, Amount],
    limit_of: Callable[[FlavorResource], Amount],
) -> tuple[CapacityNode, ...]:
    """Return the *guarantees* of the queues at the top, and the usage of all *queues*."""
    nodes = list(queues)
    listed = {each.name for each in nodes}
    found = []
    for key in dict.fromkeys((*guarantees, *(each.key for each in nodes))):
        here = [each for each in nodes if each.key == key]
        # A queue includes the usage below it.
        used = sum(each.used for each in here if len(each.path) < 2 or each.path[-2] not in listed)
        guaranteed, limit = guarantees.get(key, 0), limit_of(key)
        found.append(
            CapacityNode(
                kind="organization",
                path=(),
                flavor=key[0],
                resource=key[1],
                guaranteed=guaranteed,
                limit=limit,
                used=used,
                entitled=limit,
                demand=sum(each.demand for each in here),
                cannot_run_demand=sum(each.cannot_run_demand for each in here),
                extras=parts(used, guaranteed, limit),
            )
        )
    return tuple(found)


def of_former_queue(queue: str, used: Mapping[FlavorResource, int]) -> tuple[CapacityNode, ...]:
    """Return nodes without guarantee for what workloads of a removed queue still use."""
    return tuple(
        CapacityNode(
            kind="queue",
            path=(queue,),
            flavor=key[0],
            resource=key[1],
            guaranteed=0,
            limit=0,
            used=amount,
            entitled=0,
            demand=0,
            cannot_run_demand=0,
        )
        for key, amount in sorted(used.items())
        if amount
    )


def parts(used: int, guaranteed: Amount, limit: Amount) -> dict[str, Amount | bool]:
    """Return the usage within the guarantee, and that above it up to the limit."""
    own = min(used, guaranteed) if isinstance(guaranteed, int) else used
    most = min(used, limit) if isinstance(limit, int) else used
    return {"own": own, "borrowed": max(0, most - own)}
