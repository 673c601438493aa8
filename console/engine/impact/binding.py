"""Binding resources: what pending workloads of a queue lack, and what stays available to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from console.engine.disciplines import load_discipline
from console.engine.model.amounts import Amount, FlavorResource
from console.engine.state import State


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceBalance:
    """One resource of a queue over all its flavors, in thousandths."""

    resource: str
    used: int
    #: The most that the queue may use now, given the usage of others.
    entitled: Amount
    #: The requests of pending workloads of the queue.
    demand: int

    @property
    def available(self) -> Amount:
        """The amount that may still be used."""
        left = self.entitled - self.used
        return left if left > 0 else 0

    @property
    def binds(self) -> bool:
        """Whether pending workloads request more than is available."""
        return self.demand > self.available


def resource_balances(state: State, queue: str) -> tuple[ResourceBalance, ...]:
    """
    Return the balance of each resource of *queue* and the queues below it in *state*.

    Empty if the policy of *state* has no such queue. Workloads that can never start count as
    demand as well.
    """
    policy = state.policy
    if queue not in policy.queues:
        return ()
    discipline = load_discipline(policy.discipline)
    used: dict[str, dict[FlavorResource, int]] = {}
    for running in state.running.values():
        if running.queue is not None:
            there = used.setdefault(running.queue, {})
            for key, amount in running.usage.items():
                there[key] = there.get(key, 0) + amount
    capacity = discipline.capacity(policy, used)
    tree = discipline.tree(policy)
    below = tree.queues_below(queue) if queue in tree.names else ()
    demand = _demand(state, {queue, *below})
    total: dict[str, tuple[int, Amount]] = {}
    for node in capacity.queue_nodes(queue, demand):
        in_use, entitled = total.get(node.resource, (0, 0))
        total[node.resource] = in_use + node.used, entitled + node.entitled
    return tuple(
        ResourceBalance(
            resource=resource,
            used=in_use,
            entitled=entitled,
            demand=demand.get(resource, 0),
        )
        for resource, (in_use, entitled) in total.items()
    )


def _demand(state: State, names: set[str]) -> Mapping[str, int]:
    """Return the requests of the pending workloads of queues, by resource."""
    discipline = load_discipline(state.policy.discipline)
    found: dict[str, int] = {}
    for name in names:
        queue = state.queues.get(name)
        if queue is None:
            continue
        for cls in queue.pending.classes.values():
            for resource, amount in discipline.demand(queue, cls.head.workload).items():
                found[resource] = found.get(resource, 0) + amount * len(cls)
    return found
