"""Binding resources: what pending workloads of a queue or cohort lack, and what stays unused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from console.engine.disciplines import load_discipline
from console.engine.disciplines.read_model import NO_REQUESTS
from console.engine.impact.live import never_fits
from console.engine.model.amounts import Amount, FlavorResource
from console.engine.state import State


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceBalance:
    """One resource of a queue or cohort over all its flavors, in thousandths."""

    resource: str
    used: int
    #: The most that it may use now, given the usage of others.
    entitled: Amount
    #: The requests of its pending workloads that can start.
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


def resource_balances(state: State, name: str) -> tuple[ResourceBalance, ...]:
    """
    Return the balance of each resource of *name*, a queue or cohort of *state*.

    A cohort includes the queues below it. Empty if the policy of *state* does not have *name*.
    """
    policy = state.policy
    discipline = load_discipline(policy.discipline)
    used: dict[str, dict[FlavorResource, int]] = {}
    for running in state.running.values():
        if running.queue is not None:
            there = used.setdefault(running.queue, {})
            for key, amount in running.usage.items():
                there[key] = there.get(key, 0) + amount
    capacity = discipline.capacity(policy, used)
    tree = discipline.tree(policy)
    names = {name} & policy.queues.keys()
    if name in tree.names:
        names.update(tree.queues_below(name))
    demand = _demand(state, names)
    if name in policy.queues:
        nodes = capacity.queue_nodes(name, demand)
    elif name in tree.names:
        members = {each: capacity.queue_nodes(each, NO_REQUESTS) for each in names}
        nodes = capacity.cohort_nodes(name, members)
    else:
        return ()
    total: dict[str, tuple[int, Amount]] = {}
    for node in nodes:
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
    """Return the requests of the pending workloads of queues that can start, by resource."""
    discipline = load_discipline(state.policy.discipline)
    found: dict[str, int] = {}
    for each in names:
        queue = state.queues.get(each)
        if queue is None:
            continue
        for cls in queue.pending.classes.values():
            if cls.head.route.problem is not None or never_fits(state, queue, cls):
                continue
            for resource, amount in discipline.demand(queue, cls.head.workload).items():
                found[resource] = found.get(resource, 0) + amount * len(cls)
    return found
