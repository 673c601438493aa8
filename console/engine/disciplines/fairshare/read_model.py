"""
Read model of queues: quota, limit, usage and requests of each resource.

Usage above the quota is borrowed: others may reclaim it. A queue with children has the usage of all
workloads below it. Fair shares depend on nodes and on the requests of all queues together, so they
are not part of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from console.engine.disciplines.fairshare.hierarchy import QueueHierarchy
from console.engine.disciplines.fairshare.ledger import KEYS, FairshareLedger
from console.engine.disciplines.fairshare.spec import POOL, FairshareSpec, fairshare_of
from console.engine.disciplines.nested_read_model import NestedCapacity, sums
from console.engine.disciplines.read_model import (
    CapacityWording,
    Column,
    Section,
    Unit,
    Used,
)
from console.engine.model.amounts import Amount, FlavorResource
from console.engine.model.capacity_node import CapacityNode
from console.engine.model.policy import Policy

COLUMNS: Final = (
    Column(key="guaranteed", title="Quota", help="The amount that the queue is guaranteed."),
    Column(
        key="limit", title="Limit", help="The most that the limits of the queue and above it allow."
    ),
    Column(key="used", title="Used", help="What its running workloads use."),
    Column(
        key="borrowed",
        title="Above quota",
        help="The part of the usage above the quota, which other queues may reclaim.",
    ),
    Column(
        key="available",
        title="Below limit",
        help="What the limits still allow. Nodes may have less.",
    ),
    Column(
        key="demand",
        title="Requested",
        unit=Unit.DEMAND,
        help="The requests of its pending workloads.",
    ),
)

WORDING: Final = CapacityWording(
    title="Quota and usage",
    flavor="Capacity",
    note=(
        "Amounts are in units of the resource. Workloads may use more than the quota of their "
        "queue, up to its limit and the limits above it; what is above the quota may be reclaimed. "
        "Requests of workloads that can never run are counted separately."
    ),
    nothing="The active config has no queues.",
)


SECTIONS: Final = (Section(key="shares", title="Fair shares"),)


class FairshareCapacity(NestedCapacity[FairshareLedger]):
    """The quota, limit and usage of every queue."""

    pool = POOL

    def __init__(self, policy: Policy, used: Used) -> None:
        spec = fairshare_of(policy)
        super().__init__(policy, used, FairshareLedger(spec), QueueHierarchy(spec))

    def keys(self, queue: str) -> tuple[FlavorResource, ...]:
        """Return CPU, memory and GPUs of the pool for every queue of the policy."""
        return KEYS if self._ledger.knows(queue) else ()


def organization_nodes(
    spec: FairshareSpec, queues: Iterable[CapacityNode]
) -> tuple[CapacityNode, ...]:
    """Return the quotas of the queues at the top together, and the usage of all *queues*."""
    tops = [spec.tree.queues[name] for name in spec.tree.roots]

    def limit(key: FlavorResource) -> Amount:
        total: Amount = 0
        if key in KEYS:
            for queue in tops:
                total += queue.limit[KEYS.index(key)]
        return total

    guaranteed = spec.guaranteed()
    quotas = {key: guaranteed.get(key, 0) for key in (KEYS if spec.queues else ())}
    return sums(queues, {**quotas, **guaranteed}, limit)
