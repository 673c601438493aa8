"""What may happen to running work: quota it no longer has, flavors it lost, who may stop it."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from console.engine.disciplines.quota.spec import PreemptionRule, spec_of
from console.engine.live.live_tree import AnyQueue
from console.engine.live.running import Running
from console.engine.model.amounts import FlavorResource
from console.engine.model.policy import Policy
from console.engine.routing.flavor_matching import Matcher
from console.engine.state import State


class Loss(StrEnum):
    """What is gone of the place in which a workload runs."""

    #: The policy no longer has its queue.
    QUEUE = "queue"
    #: Its queue no longer lists the flavor for the resource, or nothing describes it.
    FLAVOR = "flavor"
    #: Its labels, or what it asks of nodes, keep it off the flavor.
    ACCESS = "access"


class Exposure(StrEnum):
    """By what right somebody who comes later may have a running workload stopped."""

    #: Those of its own queue may stop others of it.
    IN_QUEUE = "in_queue"
    #: It holds more than its queue owns, and others of its cohort may take theirs back.
    BY_COHORT = "by_cohort"


def over_nominal(queue: AnyQueue) -> set[str]:
    """
    Return the ids of those who hold what *queue* does not own.

    The quota is given to the highest priority first and to who reserved it first:
    those left over are the ones that preemption would look at first. Who is told to
    stop is not counted.
    """
    account = queue.account
    if not any(account.used(key) > account.guaranteed(key) for key in account.opened()):
        return set()
    held: dict[FlavorResource, int] = {}
    over: set[str] = set()
    for running in _in_order_of_right(queue.running):
        for key, amount in running.usage.items():
            held[key] = held.get(key, 0) + amount
            if amount and held[key] > account.guaranteed(key):
                over.add(running.workload.id)
    return over


def exposures(queue: AnyQueue, over: set[str]) -> dict[str, frozenset[Exposure]]:
    """Return by what rights those who run in *queue* may be stopped; *over* is `over_nominal`."""
    within = (
        queue.policy is not None
        and queue.is_active
        and queue.policy.preemption.within_queue is not PreemptionRule.NEVER
    )
    inside = frozenset({Exposure.IN_QUEUE}) if within else frozenset()
    found: dict[str, frozenset[Exposure]] = {}
    if within:
        found = {each.workload.id: inside for each in queue.running if not each.evicting}
    if over and any(_reclaims(other) for other in queue.tree.queues if other is not queue):
        found.update(dict.fromkeys(over, inside | {Exposure.BY_COHORT}))
    return found


def losses(state: State, policy: Policy) -> dict[str, Loss]:
    """Return what *policy* takes away from those who run in *state*, by id."""
    matcher = Matcher(policy)
    found: dict[str, Loss] = {}
    for running in state.running.values():
        if running.evicting or running.queue is None:
            continue
        loss = _loss(running, policy, matcher)
        if loss is not None:
            found[running.workload.id] = loss
    return found


def _loss(running: Running, policy: Policy, matcher: Matcher) -> Loss | None:
    queue = spec_of(policy).queues.get(running.queue or "")
    if queue is None:
        return Loss.QUEUE
    if queue.is_passthrough or not running.usage:
        # Nobody is given a flavor there, so none is lost.
        return None
    obstacles = matcher.obstacles(running.workload, queue)
    at = {each.name: index for index, each in enumerate(running.workload.pod_sets)}
    for assigned in running.assignment:
        for resource, flavor in assigned.flavors.items():
            place = next(
                (
                    (group, index)
                    for group, each in enumerate(queue.groups)
                    if resource in each.resources
                    for index, entry in enumerate(each.flavors)
                    if entry.flavor == flavor
                ),
                None,
            )
            if place is None or flavor not in spec_of(policy).flavors:
                return Loss.FLAVOR
            if obstacles[at[assigned.name]][place[0]][place[1]] is not None:
                return Loss.ACCESS
    return None


def _reclaims(queue: AnyQueue) -> bool:
    if queue.policy is None or not queue.is_active:
        return False
    return queue.policy.preemption.reclaim_within_cohort is not PreemptionRule.NEVER


def _in_order_of_right(running: Iterable[Running]) -> list[Running]:
    staying = (each for each in running if not each.evicting)
    return sorted(staying, key=lambda each: (-each.priority, each.reservation))
