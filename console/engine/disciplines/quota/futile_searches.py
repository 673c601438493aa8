"""Futile searches: cheap tests that a search for victims cannot find a sufficient set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from console.engine.disciplines.quota.ledger import QuotaQueue, covers
from console.engine.disciplines.quota.levels import borrow_level
from console.engine.disciplines.quota.spec import PreemptionRule, QuotaSettings
from console.engine.model.amounts import FlavorResource, Unlimited, Usage

#: Lower than every priority.
_LOWEST: Final = -(2**62)


def is_futile(
    queue: QuotaQueue,
    settings: QuotaSettings,
    requested: Usage,
    priority: int,
) -> bool:
    """
    Return whether a search for victims is sure to find none.

    True if the workloads of the same queue that may be preempted do not use enough, and those of
    other queues may not be preempted: no other queue borrows, or the request exceeds the quota of
    the queue and of every subtree around it and the queue must not borrow by preemption.
    """
    assert queue.policy is not None
    rules = queue.policy.preemption
    if rules.within_queue is not PreemptionRule.NEVER:
        lowest = queue.running.lowest
        newer_equal = rules.within_queue is PreemptionRule.LOWER_OR_NEWER_EQUAL_PRIORITY
        if lowest is not None and lowest < priority + newer_equal:
            below = priority + newer_equal
            reclaims = queue.account.parent is not None and (
                rules.reclaim_within_cohort is not PreemptionRule.NEVER
            )
            for key, amount in requested.items():
                held, cell = queue.running.usage_below(below, key), queue.account.cell(key)
                # Below nominal quota, workloads of other queues may be preempted as well.
                if held and (
                    (reclaims and cell.used < cell.nominal) or amount <= cell.available + held
                ):
                    return False
    if queue.account.parent is None or rules.reclaim_within_cohort is PreemptionRule.NEVER:
        return True
    if settings.fair_sharing or rules.borrow_within_cohort is not PreemptionRule.NEVER:
        return not any(
            may_suffice(queue, settings, key, amount, priority) for key, amount in requested.items()
        )
    return not any(
        borrow_level(queue.account, key, amount)[1] and _another_queue_borrows(queue, key)
        for key, amount in requested.items()
    )


def may_suffice(
    queue: QuotaQueue, settings: QuotaSettings, key: FlavorResource, amount: int, priority: int
) -> bool:
    """
    Return whether *amount* of *key* could fit if every permitted victim stopped.

    This uses an upper bound of the amount that a search can free: False is certain, True is not.
    Victims that the ledger already does not count are counted twice.
    """
    assert queue.policy is not None
    cell, rules = queue.account.cell(key), queue.policy.preemption
    own = 0
    if rules.within_queue is not PreemptionRule.NEVER:
        own = queue.running.usage_below(_priority_bound(rules.within_queue, priority), key)
    staying = cell.used - own
    reclaims = queue.account.parent is not None and (
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
    if settings.fair_sharing or borrow_level(queue.account, key, amount)[1]:
        below = _priority_bound(rules.reclaim_within_cohort, priority)
    elif rules.borrow_within_cohort is PreemptionRule.NEVER:
        return False
    else:
        below = _bound_while_borrowing(queue, priority)
    return missing <= queue.tree.usage_by_priority.below(below, key)


def cohort_priority_bound(
    queue: QuotaQueue,
    settings: QuotaSettings,
    least: Mapping[str, int],
    priority: int,
    lowest: int | None,
) -> int | None:
    """
    Return the priority below which other queues' workloads may be preempted for *least* or more.

    None: whatever their priority. *least* is by resource, of any flavor; *lowest* is the lowest
    priority that runs in *queue* itself. Only the usage of queues is read, not workloads.
    """
    assert queue.policy is not None
    rules = queue.policy.preemption
    widest = _priority_bound(rules.reclaim_within_cohort, priority)
    if settings.fair_sharing:
        return widest
    own = _priority_bound(rules.within_queue, priority)
    may_stop_own = (
        rules.within_queue is not PreemptionRule.NEVER
        and lowest is not None
        and (own is None or lowest < own)
    )
    for resource, amount in least.items():
        index = covers(queue).get(resource)
        for entry in queue.policy.groups[index].flavors if index is not None else ():
            key = (entry.flavor, resource)
            cell = queue.account.cell(key)
            # The queue, once its own victims have stopped, or a cohort around it has the quota.
            staying = 0 if may_stop_own else cell.used
            if staying + amount <= cell.nominal or borrow_level(queue.account, key, amount)[1]:
                return widest
    return _bound_while_borrowing(queue, priority)


def _bound_while_borrowing(queue: QuotaQueue, priority: int) -> int:
    """Return the priority below which *queue* may preempt others while borrowing (spec 7.2)."""
    assert queue.policy is not None
    rules = queue.policy.preemption
    if rules.borrow_within_cohort is PreemptionRule.NEVER:
        return _LOWEST
    widest = _priority_bound(rules.reclaim_within_cohort, priority)
    below = priority if widest is None else min(widest, priority)
    if rules.max_priority_threshold is not None:
        below = min(below, rules.max_priority_threshold + 1)
    return below


def _priority_bound(rule: PreemptionRule, priority: int) -> int | None:
    """Return the priority below which *rule* allows preemption; None: whatever the priority."""
    match rule:
        case PreemptionRule.NEVER | PreemptionRule.ANY:
            return None
        case PreemptionRule.LOWER_PRIORITY:
            return priority
        case PreemptionRule.LOWER_OR_NEWER_EQUAL_PRIORITY:
            return priority + 1


def _another_queue_borrows(queue: QuotaQueue, key: FlavorResource) -> bool:
    for other in queue.tree.queues:
        cell = other.account.cells.get(key)
        if cell is not None and other is not queue and cell.used > cell.subtree:
            return True
    return False
