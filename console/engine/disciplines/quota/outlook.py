"""
Outlook: who surely cannot start now, found without looking closely.

A class that does not fit takes its queue's turn for nothing: the next cycle gives it to
the one behind. So cycles in which everybody in turn surely fails can be skipped,
with whoever fails in them parked, and the world is the same as if they had run.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice

from console.engine.disciplines.quota.levels import borrow_level
from console.engine.ledger import FlavorResource
from console.engine.pending import PendingClass
from console.engine.policy import PreemptionRule, QuotaSettings
from console.engine.tree import QueueState, Tree


def skip_hopeless_cycles(tree: Tree, settings: QuotaSettings) -> bool:
    """
    Park those who surely fail before somebody who may start has a turn.

    Says whether anybody may start. Those for whom others are stopping claim room in
    every cycle, and turns decide who passes, so with them around nothing is skipped.
    """
    waiting = [queue for queue in tree.queues if len(queue.line) and queue.barrier is None]
    if tree.yielding or any(queue.preemptors for queue in tree.queues):
        return True
    best: int | None = None
    for queue in waiting:
        cycles = _cycles_before_hope(queue, settings, best)
        if cycles is not None and (best is None or cycles < best):
            best = cycles
            if best == 0:
                return True
    for queue in waiting:
        if queue.line.is_strict:
            continue
        if best is None:
            queue.line.park_all()
        else:
            for cls in list(islice(queue.line.awake(), best)):
                queue.line.park(cls)
    if best is not None:
        tree.cycle += best
    return best is not None


def _cycles_before_hope(queue: QueueState, settings: QuotaSettings, most: int | None) -> int | None:
    """Return after how many turns one may start; None: nobody may, or not within *most* turns."""
    line = queue.line
    head = line.head()
    if head is None:
        return None
    if not line.open:
        highest = line.highest
        assert highest is not None
        if all(surely_fails(queue, settings, least, highest) for least in line.least.each()):
            return None
    if head is line.sticky and not line.is_strict:
        return 0
    if line.is_strict:
        return None if _fails(queue, settings, line.classes[head.class_key]) else 0
    for number, cls in enumerate(line.awake()):
        if most is not None and number >= most:
            return None
        if not _fails(queue, settings, cls):
            return number
    return None


def _fails(queue: QueueState, settings: QuotaSettings, cls: PendingClass) -> bool:
    if cls.key in queue.line.open or cls.head.scan is not None:
        return False
    return surely_fails(queue, settings, cls.least, cls.priority)


def surely_fails(
    queue: QueueState, settings: QuotaSettings, least: Mapping[str, int], priority: int
) -> bool:
    """
    Say whether nobody of at most *priority* who asks for *least* or more can start.

    True when some resource has no flavor with that much free, and nobody could be
    stopped for it.
    """
    policy, node = queue.policy, queue.node
    assert policy is not None
    for resource, amount in least.items():
        index = queue.covers.get(resource)
        if index is None:
            continue
        flavors = policy.groups[index].flavors
        for entry in flavors:
            available = node.cell((entry.flavor, resource)).available
            if amount <= available or amount == 0:
                break
        else:
            keys = {(entry.flavor, resource): amount for entry in flavors}
            if is_hopeless(queue, settings, keys, priority):
                return True
    return False


def is_hopeless(
    queue: QueueState,
    settings: QuotaSettings,
    asked: Mapping[FlavorResource, int],
    priority: int,
) -> bool:
    """
    Say whether a search for workloads to stop is sure to find nobody.

    Nobody of the same queue may be stopped, and to others there is no right: what is
    asked for exceeds what the queue and every subtree around it owns, and the queue
    must not borrow by preemption.
    """
    assert queue.policy is not None
    rules = queue.policy.preemption
    if rules.within_queue is not PreemptionRule.NEVER:
        lowest = queue.running.lowest
        newer_equal = rules.within_queue is PreemptionRule.LOWER_OR_NEWER_EQUAL_PRIORITY
        if lowest is not None and lowest < priority + newer_equal:
            return False
    if queue.node.parent is None or rules.reclaim_within_cohort is PreemptionRule.NEVER:
        return True
    if settings.fair_sharing or rules.borrow_within_cohort is not PreemptionRule.NEVER:
        return False
    return not any(borrow_level(queue.node, key, amount)[1] for key, amount in asked.items())
