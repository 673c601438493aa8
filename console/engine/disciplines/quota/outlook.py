"""
Outlook: who surely cannot start now, found without looking closely.

A class that does not fit takes its queue's turn for nothing: the next cycle gives it to
the one behind. So cycles in which everybody in turn surely fails can be skipped,
with whoever fails in them parked, and the world is the same as if they had run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from console.engine.disciplines.quota.hopeless import is_hopeless
from console.engine.disciplines.quota.nominate import nominate
from console.engine.ledger import FlavorResource
from console.engine.pending import Pending, PendingClass
from console.engine.policy import PreemptionRule, QuotaSettings
from console.engine.tree import QueueState, Tree


def skip_hopeless_cycles(tree: Tree, settings: QuotaSettings) -> bool:
    """
    Park those who surely fail before somebody who may start has a turn.

    Says whether anybody may start. Nothing is skipped while turns decide who passes, or
    while one of those for whom others are stopping has yet to have its turn.
    """
    waiting = [queue for queue in tree.queues if len(queue.line) and queue.barrier is None]
    if tree.yielding or not all(_is_quiet(queue, tree) for queue in tree.queues):
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


def _is_quiet(queue: QueueState, tree: Tree) -> bool:
    return all(each.quiet_at == tree.version for each in queue.preemptors.values())


def first_that_fits(queue: QueueState, settings: QuotaSettings) -> Pending | None:
    """Return the first in the order of a line that fits as things are, parked or not."""
    line = queue.line
    if all(has_no_room(queue, least) for least in line.least.each()):
        return None
    for cls in line.in_order():
        head = cls.head
        if head.route.problem is not None or head.yields_to is not None:
            continue
        if not has_no_room(queue, cls.least) and nominate(queue, head, settings).fits:
            return head
    return None


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


def may_be_passed_over(queue: QueueState, settings: QuotaSettings, cls: PendingClass) -> bool:
    """
    Say whether a turn of this class surely fails, and holds no room back from others.

    A queue that can always take back what it lent holds nothing back (Kueue, spec 4.5).
    """
    assert queue.policy is not None
    if queue.policy.preemption.reclaim_within_cohort is not PreemptionRule.ANY:
        return False
    return not queue.line.is_strict and _fails(queue, settings, cls)


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
    return any(
        is_hopeless(queue, settings, dict.fromkeys(keys, least[keys[0][1]]), priority)
        for keys in _full(queue, least)
    )


def has_no_room(queue: QueueState, least: Mapping[str, int]) -> bool:
    """Say whether *least* of some resource is free in no flavor at all."""
    return next(_full(queue, least), None) is not None


def _full(queue: QueueState, least: Mapping[str, int]) -> Iterator[list[FlavorResource]]:
    """Yield the flavors of each resource of which none has *least* free."""
    policy, node = queue.policy, queue.node
    assert policy is not None
    for resource, amount in least.items():
        index = queue.covers.get(resource)
        if index is None or not amount:
            continue
        keys = [(entry.flavor, resource) for entry in policy.groups[index].flavors]
        if not any(amount <= node.cell(key).available for key in keys):
            yield keys
