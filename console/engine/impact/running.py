"""Effects on running workloads: usage above nominal quota, and losses under another policy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from console.engine.disciplines import load_discipline
from console.engine.live.live_tree import AnyQueue
from console.engine.live.running import Running
from console.engine.model.amounts import FlavorResource
from console.engine.model.policy import Policy
from console.engine.model.running_outcomes import Loss
from console.engine.state import State

#: The removed queues of a policy that has all queues of the earlier one.
NOT_REPLACED: Final[Mapping[str, str]] = MappingProxyType({})


def over_nominal(queue: AnyQueue) -> set[str]:
    """
    Return the ids of the running workloads of *queue* that use more than its nominal quota.

    Quota is attributed by priority, the highest first, then by reservation: the others are the
    workloads that a search for victims tries first. Evicting workloads are not counted.
    """
    account = queue.account
    if not any(account.used(key) > account.guaranteed(key) for key in account.flavor_resources()):
        return set()
    held: dict[FlavorResource, int] = {}
    over: set[str] = set()
    for running in _by_quota_precedence(queue.running):
        for key, amount in running.usage.items():
            held[key] = held.get(key, 0) + amount
            if amount and held[key] > account.guaranteed(key):
                over.add(running.workload.id)
    return over


def losses(
    state: State, policy: Policy, replaced: Mapping[str, str] = NOT_REPLACED
) -> dict[str, Loss]:
    """
    Return the losses of running workloads of *state* under *policy*, by id.

    *replaced* has removed queues with the queue of *policy* that takes the place of each.
    """
    discipline = load_discipline(policy.discipline)
    judge = discipline.eligibility(policy)
    found: dict[str, Loss] = {}
    for running in state.running.values():
        if running.evicting or running.queue is None:
            continue
        queue = policy.queue(replaced.get(running.queue, running.queue))
        loss: Loss | None = Loss.QUEUE
        if queue is not None:
            loss = discipline.loss(policy, queue, running, judge, state.inventory)
        if loss is not None:
            found[running.workload.id] = loss
    return found


def _by_quota_precedence(running: Iterable[Running]) -> list[Running]:
    staying = (each for each in running if not each.evicting)
    return sorted(staying, key=lambda each: (-each.priority, each.reservation))
