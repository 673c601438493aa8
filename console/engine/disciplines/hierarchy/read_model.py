"""
Read model of queues: guarantee, maximum, usage, headroom and requests of each resource.

Usage above the guarantee is borrowed: queues below their guarantee may take it back. A parent queue
has the usage of all workloads below it. What the nodes have is not part of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from console.engine.disciplines.hierarchy.ledger import HierarchyLedger
from console.engine.disciplines.hierarchy.queue_tree import QueueTree
from console.engine.disciplines.hierarchy.spec import POOL, HierarchySpec, hierarchy_of
from console.engine.disciplines.nested_read_model import NestedCapacity, parts, sums
from console.engine.disciplines.read_model import (
    CapacityWording,
    Column,
    Section,
    Unit,
    Used,
)
from console.engine.model.amounts import SCALE, UNLIMITED, Amount, FlavorResource
from console.engine.model.capacity_node import CapacityNode
from console.engine.model.policy import Policy

COLUMNS: Final = (
    Column(
        key="guaranteed",
        title="Guarantee",
        help="The amount that the queue gets back by preemption.",
    ),
    Column(
        key="limit",
        title="Maximum",
        help="The most that the maxima of the queue and those above it allow.",
    ),
    Column(key="used", title="Used", help="What its running workloads use."),
    Column(
        key="borrowed",
        title="Above guarantee",
        help="The part of the usage above the guarantee, which preemption may take.",
    ),
    Column(
        key="available",
        title="Headroom",
        help="What the maxima still allow. Nodes may have less.",
    ),
    Column(
        key="share",
        title="Share",
        help=(
            "The used part of the guarantee, or of the maximum without a guarantee: 1 is all of "
            "it. Among siblings of equal priority, the smallest share is served first."
        ),
    ),
    Column(
        key="demand",
        title="Pending",
        unit=Unit.DEMAND,
        help="The requests of its pending workloads.",
    ),
)

WORDING: Final = CapacityWording(
    title="Guarantee, maximum and usage",
    flavor="Capacity",
    note=(
        "Amounts are in units of the resource. A queue may use more than its guarantee, up to its "
        "maximum and the maxima above it; queues below their guarantee may take back what is "
        "above. Requests of workloads that can never run are counted separately."
    ),
    nothing="The active config has no queues.",
)

SECTIONS: Final = (
    Section(key="users", title="Users and groups"),
    Section(key="placement_rules", title="Placement rules"),
)


class HierarchyCapacity(NestedCapacity[HierarchyLedger]):
    """The guarantee, maximum and usage of every queue."""

    pool = POOL

    def __init__(self, policy: Policy, used: Used) -> None:
        spec = hierarchy_of(policy)
        super().__init__(policy, used, HierarchyLedger(spec), QueueTree(spec))

    def keys(self, queue: str) -> tuple[FlavorResource, ...]:
        """Return the resources that the maxima and guarantees on the path of *queue* name."""
        ledger = self._ledger
        if not ledger.knows(queue):
            return ()
        names = (queue, *ledger.path(queue))
        return tuple(
            key
            for key in ledger.keys
            if any(
                ledger.limit(name, key) is not UNLIMITED or ledger.guaranteed(name, key)
                for name in names
            )
        )

    def extras(self, used: int, guaranteed: Amount, limit: Amount) -> dict[str, Amount | bool]:
        """Return the parts of the usage, and the share that orders siblings."""
        return {**parts(used, guaranteed, limit), "share": _share(used, guaranteed, limit)}


def organization_nodes(
    spec: HierarchySpec, queues: Iterable[CapacityNode]
) -> tuple[CapacityNode, ...]:
    """Return the guarantees of the queues at the top together, and the usage of all *queues*."""
    return sums(queues, spec.guaranteed(), lambda key: UNLIMITED)


def _share(used: int, guaranteed: Amount, limit: Amount) -> Amount:
    """Return the used part of the guarantee, or else of the maximum, in thousandths."""
    whole = guaranteed if guaranteed else limit
    if not isinstance(whole, int):
        return 0
    if not whole:
        return SCALE if used else 0
    return used * SCALE // whole
