"""Searches for workloads to stop that are sure to find nobody, known without looking around."""

from __future__ import annotations

from console.engine.disciplines.quota.levels import borrow_level
from console.engine.ledger import FlavorResource, Usage
from console.engine.policy import PreemptionRule, QuotaSettings
from console.engine.tree import QueueState


def is_hopeless(
    queue: QueueState,
    settings: QuotaSettings,
    asked: Usage,
    priority: int,
) -> bool:
    """
    Say whether a search for workloads to stop is sure to find nobody.

    All of the same queue who may be stopped do not hold enough, and to others there is no
    right: nobody uses more than is theirs, or what is asked for exceeds what the queue and
    every subtree around it owns and the queue must not borrow by preemption.
    """
    assert queue.policy is not None
    rules = queue.policy.preemption
    if rules.within_queue is not PreemptionRule.NEVER:
        lowest = queue.running.lowest
        newer_equal = rules.within_queue is PreemptionRule.LOWER_OR_NEWER_EQUAL_PRIORITY
        if lowest is not None and lowest < priority + newer_equal:
            below = priority + newer_equal
            reclaims = queue.node.parent is not None and (
                rules.reclaim_within_cohort is not PreemptionRule.NEVER
            )
            for key, amount in asked.items():
                held, cell = queue.running.held_below(below, key), queue.node.cell(key)
                # Below its nominal quota, others may be stopped together with its own.
                if held and (
                    (reclaims and cell.used < cell.nominal) or amount <= cell.available + held
                ):
                    return False
    if queue.node.parent is None or rules.reclaim_within_cohort is PreemptionRule.NEVER:
        return True
    if settings.fair_sharing or rules.borrow_within_cohort is not PreemptionRule.NEVER:
        return False
    return not any(
        borrow_level(queue.node, key, amount)[1] and _somebody_borrows(queue, key)
        for key, amount in asked.items()
    )


def _somebody_borrows(queue: QueueState, key: FlavorResource) -> bool:
    for other in queue.tree.queues:
        cell = other.node.cells.get(key)
        if cell is not None and other is not queue and cell.used > cell.subtree:
            return True
    return False
