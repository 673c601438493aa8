"""
Read model of queues: guarantee, maximum, usage, headroom and requests of each resource.

Usage above the guarantee is borrowed: queues below their guarantee may take it back. A parent queue
has the usage of all workloads below it. What the nodes have is not part of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from console.engine.disciplines.hierarchy.ledger import HierarchyLedger, counted
from console.engine.disciplines.hierarchy.queue_tree import QueueTree
from console.engine.disciplines.hierarchy.spec import POOL, HierarchySpec, hierarchy_of
from console.engine.disciplines.read_model import (
    NO_REQUESTS,
    CapacityWording,
    Column,
    FairShare,
    Loan,
    Requests,
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


class HierarchyCapacity:
    """The guarantee, maximum and usage of every queue."""

    loans: tuple[Loan, ...] = ()

    def __init__(self, policy: Policy, used: Used) -> None:
        self.policy = policy
        self.used = used
        self._spec = hierarchy_of(policy)
        self.tree = QueueTree(self._spec)
        ledger = HierarchyLedger(self._spec)
        for name in dict.fromkeys((*self._spec.queues, *used)):
            # Accounts are created now, so that later questions change nothing.
            for above in (name, *ledger.path(name)):
                ledger.queue(above)
            ledger.add(name, used.get(name, {}))
        self._ledger = ledger

    def share(self, name: str, *, is_cohort: bool = False) -> FairShare | None:
        """Return None: shares are a column of their own."""
        return None

    def keys(self, queue: str) -> tuple[FlavorResource, ...]:
        """Return the resources that the maxima and guarantees on the path of *queue* name."""
        if not self._ledger.knows(queue):
            return ()
        return tuple(self._keys(queue))

    def queue_nodes(
        self, queue: str, requested: Requests, cannot_run: Requests = NO_REQUESTS
    ) -> tuple[CapacityNode, ...]:
        """Return the nodes of *queue*: resources that queues name, then others that are used."""
        if not self._ledger.knows(queue):
            return _of_former_queue(queue, self.used.get(queue, {}))
        asked, never = _by_key(requested), _by_key(cannot_run)
        used = self._ledger.queue(queue).below
        keys = dict.fromkeys((*self._keys(queue), *sorted(used), *asked))
        return tuple(
            self._node("queue", queue, key, asked.get(key, 0), never.get(key, 0)) for key in keys
        )

    def cohort_nodes(
        self, cohort: str, queues: Mapping[str, Iterable[CapacityNode]]
    ) -> tuple[CapacityNode, ...]:
        """Return the nodes of a parent queue; *queues* has those of the queues below."""
        used = self._ledger.queue(cohort).below
        demand: dict[FlavorResource, int] = dict.fromkeys((*self._keys(cohort), *sorted(used)), 0)
        never: dict[FlavorResource, int] = {}
        for name in (cohort, *self.tree.queues_below(cohort)):
            for node in queues.get(name, ()):
                demand[node.key] = demand.get(node.key, 0) + node.demand
                never[node.key] = never.get(node.key, 0) + node.cannot_run_demand
        return tuple(
            self._node("cohort", cohort, key, asked, never.get(key, 0))
            for key, asked in demand.items()
        )

    def _keys(self, queue: str) -> dict[FlavorResource, None]:
        ledger = self._ledger
        names = (queue, *ledger.path(queue))
        return {
            key: None
            for key in ledger.keys
            if any(
                ledger.limit(name, key) is not UNLIMITED or ledger.guaranteed(name, key)
                for name in names
            )
        }

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
            extras={**_parts(used, guaranteed, limit), "share": _share(used, guaranteed, limit)},
        )


def organization_nodes(
    spec: HierarchySpec, queues: Iterable[CapacityNode]
) -> tuple[CapacityNode, ...]:
    """Return the guarantees of the queues at the top together, and the usage of all *queues*."""
    nodes = list(queues)
    listed = {each.name for each in nodes}
    guarantees = spec.guaranteed()
    found = []
    for key in dict.fromkeys((*guarantees, *(each.key for each in nodes))):
        here = [each for each in nodes if each.key == key]
        # A queue includes the usage below it.
        used = sum(each.used for each in here if len(each.path) < 2 or each.path[-2] not in listed)
        guaranteed = guarantees.get(key, 0)
        found.append(
            CapacityNode(
                kind="organization",
                path=(),
                flavor=key[0],
                resource=key[1],
                guaranteed=guaranteed,
                limit=UNLIMITED,
                used=used,
                entitled=UNLIMITED,
                demand=sum(each.demand for each in here),
                cannot_run_demand=sum(each.cannot_run_demand for each in here),
                extras=_parts(used, guaranteed, UNLIMITED),
            )
        )
    return tuple(found)


def _of_former_queue(queue: str, used: Mapping[FlavorResource, int]) -> tuple[CapacityNode, ...]:
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


def _by_key(requests: Requests) -> dict[FlavorResource, int]:
    found: dict[FlavorResource, int] = {}
    for resource, amount in requests.items():
        key = counted((POOL, resource))
        found[key] = found.get(key, 0) + amount
    return found


def _parts(used: int, guaranteed: Amount, limit: Amount) -> dict[str, Amount | bool]:
    """Return the usage within the guarantee, and that above it up to the maximum."""
    own = min(used, guaranteed) if isinstance(guaranteed, int) else used
    most = min(used, limit) if isinstance(limit, int) else used
    return {"own": own, "borrowed": max(0, most - own)}


def _share(used: int, guaranteed: Amount, limit: Amount) -> Amount:
    """Return the used part of the guarantee, or else of the maximum, in thousandths."""
    whole = guaranteed if guaranteed else limit
    if not isinstance(whole, int):
        return 0
    if not whole:
        return SCALE if used else 0
    return used * SCALE // whole
