"""
Feasibility: cheap checks for classes that cannot start now.

A class that does not fit wastes the turn of its queue: the next cycle gives the turn to the
class behind it. Cycles in which every head is sure to fail are therefore skipped, and their
heads made inadmissible; the state is the same as if the cycles had run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from console.engine.disciplines.quota.futile_searches import is_futile
from console.engine.disciplines.quota.ledger import QuotaQueue
from console.engine.disciplines.quota.nominate import nominate
from console.engine.disciplines.quota.spec import PreemptionRule, QuotaSettings
from console.engine.live.live_tree import LiveTree
from console.engine.model.amounts import FlavorResource
from console.engine.pending.pending_class import Pending, PendingClass


def skip_futile_cycles(tree: LiveTree, settings: QuotaSettings) -> bool:
    """
    Make the classes inadmissible whose turns fail before the turn of a class that may start.

    Return whether any class may start. Nothing is skipped while a workload yields to another,
    or while a preemptor has not had its turn.
    """
    waiting = [queue for queue in tree.queues if len(queue.pending) and queue.barrier is None]
    if tree.yielding or not all(_is_quiet(queue, tree) for queue in tree.queues):
        return True
    best: int | None = None
    for queue in waiting:
        cycles = _cycles_before_candidate(queue, settings, best)
        if cycles is not None and (best is None or cycles < best):
            best = cycles
            if best == 0:
                return True
    for queue in waiting:
        if queue.pending.is_strict:
            continue
        if best is None:
            queue.pending.set_all_inadmissible()
        else:
            for cls in list(islice(queue.pending.active(), best)):
                queue.pending.set_inadmissible(cls)
    if best is not None:
        tree.cycle += best
    return best is not None


def _is_quiet(queue: QuotaQueue, tree: LiveTree) -> bool:
    return all(each.quiet_at == tree.version for each in queue.preemptors.values())


def first_that_fits(queue: QuotaQueue, settings: QuotaSettings) -> Pending | None:
    """Return the first workload of a queue that fits now, even if its class is inadmissible."""
    pending_queue = queue.pending
    if all(has_no_room(queue, least) for least in pending_queue.min_requests.each()):
        return None
    for cls in pending_queue.in_order():
        head = cls.head
        if head.route.problem is not None or head.yields_to is not None:
            continue
        if not has_no_room(queue, cls.min_requests) and nominate(queue, head, settings).fits:
            return head
    return None


def _cycles_before_candidate(
    queue: QuotaQueue, settings: QuotaSettings, most: int | None
) -> int | None:
    """Return the number of turns before a class may start; None: none may within *most* turns."""
    pending_queue = queue.pending
    head = pending_queue.head()
    if head is None:
        return None
    if not pending_queue.open:
        highest = pending_queue.highest
        assert highest is not None
        if all(
            surely_fails(queue, settings, least, highest)
            for least in pending_queue.min_requests.each()
        ):
            return None
    if head is pending_queue.sticky and not pending_queue.is_strict:
        return 0
    if pending_queue.is_strict:
        return None if _fails(queue, settings, pending_queue.classes[head.class_key]) else 0
    for number, cls in enumerate(pending_queue.active()):
        if most is not None and number >= most:
            return None
        if not _fails(queue, settings, cls):
            return number
    return None


def may_skip_turn(queue: QuotaQueue, settings: QuotaSettings, cls: PendingClass) -> bool:
    """
    Return whether a turn of this class is sure to fail and reserves no capacity.

    A queue that can always reclaim its lent quota reserves nothing (Kueue, spec 4.5).
    """
    assert queue.policy is not None
    if queue.policy.preemption.reclaim_within_cohort is not PreemptionRule.ANY:
        return False
    return not queue.pending.is_strict and _fails(queue, settings, cls)


def _fails(queue: QuotaQueue, settings: QuotaSettings, cls: PendingClass) -> bool:
    if cls.key in queue.pending.open or cls.head.scan is not None:
        return False
    return surely_fails(queue, settings, cls.min_requests, cls.priority)


def surely_fails(
    queue: QuotaQueue, settings: QuotaSettings, least: Mapping[str, int], priority: int
) -> bool:
    """
    Return whether every workload of at most *priority* that requests *least* or more must wait.

    True if some resource has no flavor with that amount available, and no workload can be
    preempted for it.
    """
    return any(
        is_futile(queue, settings, dict.fromkeys(keys, least[keys[0][1]]), priority)
        for keys in _exhausted_flavors(queue, least)
    )


def has_no_room(queue: QuotaQueue, least: Mapping[str, int]) -> bool:
    """Return whether *least* of some resource is available in no flavor."""
    return next(_exhausted_flavors(queue, least), None) is not None


def _exhausted_flavors(
    queue: QuotaQueue, least: Mapping[str, int]
) -> Iterator[tuple[FlavorResource, ...]]:
    """Yield the flavor-resources of each resource of which no flavor has *least* available."""
    policy, node = queue.policy, queue.account
    assert policy is not None
    for resource, amount in least.items():
        keys = policy.flavor_resources.get(resource)
        if keys is None or not amount:
            continue
        for key in keys:
            if amount <= node.cell(key).available:
                break
        else:
            yield keys
