"""
Read model of queues: quota, limit, usage and requests of each resource.

Usage above the quota is borrowed: others may reclaim it. A queue with children has the usage of all
workloads below it. Fair shares depend on nodes and on the requests of all queues together, so they
are not part of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from console.engine.disciplines.fairshare.hierarchy import QueueHierarchy
from console.engine.disciplines.fairshare.ledger import KEYS, FairshareLedger, counted
from console.engine.disciplines.fairshare.spec import POOL, FairshareSpec, fairshare_of
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


class FairshareCapacity:
    """The quota, limit and usage of every queue."""

    loans: tuple[Loan, ...] = ()

    def __init__(self, policy: Policy, used: Used) -> None:
        self.policy = policy
        self.used = used
        self._spec = fairshare_of(policy)
        self.tree = QueueHierarchy(self._spec)
        ledger = FairshareLedger(self._spec)
        for name in self._spec.queues:
            # Accounts are created now, so that later questions change nothing.
            for above in (name, *self._spec.path(name)):
                ledger.queue(above)
            ledger.add(name, used.get(name, {}))
        self._ledger = ledger

    def share(self, name: str, *, is_cohort: bool = False) -> FairShare | None:
        """Return None: fair shares need the requests of all queues."""
        return None

    def keys(self, queue: str) -> tuple[FlavorResource, ...]:
        """Return CPU, memory and GPUs of the pool for every queue of the policy."""
        return KEYS if queue in self._spec.queues else ()

    def queue_nodes(
        self, queue: str, requested: Requests, cannot_run: Requests = NO_REQUESTS
    ) -> tuple[CapacityNode, ...]:
        """Return the nodes of *queue*: CPU, memory and GPUs, then others that are used."""
        if queue not in self._spec.queues:
            return _of_former_queue(queue, self.used.get(queue, {}))
        asked, never = _by_key(requested), _by_key(cannot_run)
        used = self._ledger.queue(queue).below
        return tuple(
            self._node("queue", queue, key, asked.get(key, 0), never.get(key, 0))
            for key in dict.fromkeys((*KEYS, *sorted(used)))
        )

    def cohort_nodes(
        self, cohort: str, queues: Mapping[str, Iterable[CapacityNode]]
    ) -> tuple[CapacityNode, ...]:
        """Return the nodes of a queue with children; *queues* has those of the queues below."""
        demand: dict[FlavorResource, int] = dict.fromkeys(KEYS, 0)
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
        used, quota, limit = account.used(key), account.guaranteed(key), account.limit(key)
        entitled = account.available(key) + used
        return CapacityNode(
            kind=kind,
            path=(*account.path[::-1], name),
            flavor=key[0],
            resource=key[1],
            guaranteed=quota,
            limit=limit,
            used=used,
            entitled=entitled if entitled > 0 else 0,
            demand=demand,
            cannot_run_demand=cannot_run,
            extras=_parts(used, quota, limit),
        )


def organization_nodes(
    spec: FairshareSpec, queues: Iterable[CapacityNode]
) -> tuple[CapacityNode, ...]:
    """Return the quotas of the queues at the top together, and the usage of all *queues*."""
    nodes = list(queues)
    listed = {each.name for each in nodes}
    keys = dict.fromkeys((*(KEYS if spec.queues else ()), *(each.key for each in nodes)))
    quotas, tops = spec.guaranteed(), [spec.tree.queues[name] for name in spec.tree.roots]
    found = []
    for key in keys:
        here = [each for each in nodes if each.key == key]
        limit: Amount = 0
        for place, each in enumerate(KEYS):
            if each == key:
                for queue in tops:
                    limit += queue.limit[place]
        # A queue includes the usage below it.
        used = sum(each.used for each in here if len(each.path) < 2 or each.path[-2] not in listed)
        quota = quotas.get(key, 0)
        found.append(
            CapacityNode(
                kind="organization",
                path=(),
                flavor=key[0],
                resource=key[1],
                guaranteed=quota,
                limit=limit,
                used=used,
                entitled=limit,
                demand=sum(each.demand for each in here),
                cannot_run_demand=sum(each.cannot_run_demand for each in here),
                extras=_parts(used, quota, limit),
            )
        )
    return tuple(found)


def _of_former_queue(queue: str, used: Mapping[FlavorResource, int]) -> tuple[CapacityNode, ...]:
    """Return nodes without quota for what workloads of a removed queue still use."""
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


def _parts(used: int, quota: Amount, limit: Amount) -> dict[str, Amount | bool]:
    """Return the usage within the quota, and that above it up to the limit."""
    own = min(used, quota) if isinstance(quota, int) else used
    most = min(used, limit) if isinstance(limit, int) else used
    return {"own": own, "borrowed": max(0, most - own)}
