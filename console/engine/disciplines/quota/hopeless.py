"""Searches for workloads to stop that are sure to find nobody, known without looking around."""

from __future__ import annotations

from console.engine.amounts import Unlimited
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
        return not any(
            may_suffice(queue, settings, key, amount, priority) for key, amount in asked.items()
        )
    return not any(
        borrow_level(queue.node, key, amount)[1] and _somebody_borrows(queue, key)
        for key, amount in asked.items()
    )


def may_suffice(
    queue: QueueState, settings: QuotaSettings, key: FlavorResource, amount: int, priority: int
) -> bool:
    """
    Say whether *amount* of *key* could fit if everybody stopped who may be stopped for it.

    An upper bound on what a search can free: a False is certain, a True is not. The ledger
    may already leave out some of those who stop; they are counted once more then.
    """
    assert queue.policy is not None
    cell, rules = queue.node.cell(key), queue.policy.preemption
    own = 0
    if rules.within_queue is not PreemptionRule.NEVER:
        own = queue.running.held_below(_below(rules.within_queue, priority), key)
    staying = cell.used - own
    reclaims = queue.node.parent is not None and (
        rules.reclaim_within_cohort is not PreemptionRule.NEVER
    )
    if reclaims and staying + amount <= cell.nominal:
        return True
    available = cell.available
    if isinstance(available, Unlimited):
        return True
    if staying + amount > cell.potential:
        return False
    missing = amount - available - own
    if missing <= 0 or not reclaims:
        return missing <= 0
    below = _below(rules.reclaim_within_cohort, priority)
    if not settings.fair_sharing and not borrow_level(queue.node, key, amount)[1]:
        # It would have to borrow for it, which only lower priorities are stopped for (spec 7.2).
        if rules.borrow_within_cohort is PreemptionRule.NEVER:
            return False
        below = priority if below is None else min(below, priority)
        if rules.max_priority_threshold is not None:
            below = min(below, rules.max_priority_threshold + 1)
    return missing <= queue.tree.held.below(below, key)


def _below(rule: PreemptionRule, priority: int) -> int | None:
    """Return below which priority *rule* lets others be stopped; None: whatever theirs is."""
    match rule:
        case PreemptionRule.NEVER | PreemptionRule.ANY:
            return None
        case PreemptionRule.LOWER_PRIORITY:
            return priority
        case PreemptionRule.LOWER_OR_NEWER_EQUAL_PRIORITY:
            return priority + 1


def _somebody_borrows(queue: QueueState, key: FlavorResource) -> bool:
    for other in queue.tree.queues:
        cell = other.node.cells.get(key)
        if cell is not None and other is not queue and cell.used > cell.subtree:
            return True
    return False
