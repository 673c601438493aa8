"""Running workloads under quota: their exposure to preemption, and their loss of flavors."""

from __future__ import annotations

from console.engine.disciplines.quota.ledger import QuotaQueue
from console.engine.disciplines.quota.spec import PreemptionRule, QueueSpec, QuotaSpec
from console.engine.live.running import Running
from console.engine.model.running_outcomes import Exposure, Loss
from console.engine.pending.eligibility import Judge


def exposures(queue: QuotaQueue, over: set[str]) -> dict[str, frozenset[Exposure]]:
    """Return the preemption that running workloads of *queue* are exposed to; *over* borrow."""
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


def loss(spec: QuotaSpec, queue: QueueSpec, running: Running, judge: Judge) -> Loss | None:
    """Return what *running* loses in *queue*: a flavor, or its access to one."""
    if queue.is_passthrough or not running.usage:
        # The workload has no flavor to lose.
        return None
    obstacles = judge.obstacles(running.workload, queue)
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
            if place is None or flavor not in spec.flavors:
                return Loss.FLAVOR
            if obstacles[at[assigned.name]][place[0]][place[1]] is not None:
                return Loss.ACCESS
    return None


def _reclaims(queue: QuotaQueue) -> bool:
    if queue.policy is None or not queue.is_active:
        return False
    return queue.policy.preemption.reclaim_within_cohort is not PreemptionRule.NEVER
