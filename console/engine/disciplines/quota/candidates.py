"""Preemption candidates: the running workloads that a search may preempt, and their order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from console.engine.disciplines.quota.ledger import QuotaQueue
from console.engine.disciplines.quota.spec import Preemption, PreemptionRule
from console.engine.live.live_tree import Target
from console.engine.live.running import Running
from console.engine.model.amounts import FlavorResource, Usage
from console.engine.model.preemption_loops import is_loop


@dataclass(frozen=True, slots=True)
class Search:
    """
    The request of a preempting workload: its queue, priority and usage if admitted.

    Amounts of zero are ignored in a search, even if the queue is over its quota (Kueue, spec
    7.1): `usage` is stored without them.
    """

    queue: QuotaQueue
    #: Id of the preempting workload.
    asker: str
    priority: int
    #: Its place in the order of submission.
    sequence: int
    usage: Usage
    #: Flavor-resources available only by preemption: a candidate has to use one of them.
    short: frozenset[FlavorResource]
    #: Ids of running workloads that are not counted.
    without: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        """Remove zero amounts from `usage`."""
        if not all(self.usage.values()):
            usage = {key: amount for key, amount in self.usage.items() if amount}
            object.__setattr__(self, "usage", usage)

    @property
    def rules(self) -> Preemption:
        """The preemption settings of the queue."""
        assert self.queue.policy is not None
        return self.queue.policy.preemption

    def may_stop(self, running: Running, rule: PreemptionRule) -> bool:
        """Return whether *rule* allows the preemption of *running* (Kueue, spec 7.1)."""
        match rule:
            case PreemptionRule.NEVER:
                return False
            case PreemptionRule.ANY:
                return True
            case PreemptionRule.LOWER_PRIORITY:
                return self.priority > running.priority
            case PreemptionRule.LOWER_OR_NEWER_EQUAL_PRIORITY:
                if self.priority == running.priority:
                    return self.sequence < running.workload.sequence
                return self.priority > running.priority

    def fits(self, *, borrowing: bool = True) -> bool:
        """Return whether the request fits now; without *borrowing*: within nominal quota."""
        node = self.queue.account
        if not node.has_room(self.usage):
            return False
        return borrowing or all(
            node.cell(key).used + amount <= node.cell(key).nominal
            for key, amount in self.usage.items()
        )


def candidates_in(queue: QuotaQueue, search: Search, rule: PreemptionRule) -> Iterator[Running]:
    """
    Yield the workloads of *queue* that *rule* allows to preempt and that use what is short.

    They are in the order of preemption: evicting workloads first, then the others.
    """
    yield from stopping_in(queue, search, rule)
    yield from staying_in(queue, search, rule)


def stopping_in(queue: QuotaQueue, search: Search, rule: PreemptionRule) -> Iterator[Running]:
    """Yield the workloads of `candidates_in` that are evicting and not preempted again."""
    short, without = search.short, search.without
    for running in queue.running.evicting():
        if running.workload.id in without or short.isdisjoint(running.usage):
            continue
        if search.may_stop(running, rule):
            yield running


def staying_in(queue: QuotaQueue, search: Search, rule: PreemptionRule) -> Iterator[Running]:
    """Yield the workloads of `candidates_in` that are not evicting."""
    short, without, asker = search.short, search.without, search.asker
    for running in _allowed(queue, search, rule):
        if running.workload.id in without or short.isdisjoint(running.usage):
            continue
        if not is_loop(running.stopped_for, asker):
            yield running


def in_order(running: Running, *, own: bool) -> tuple[bool, bool, int, int]:
    """Return the sort key for the order of preemption (Kueue, spec 7.1)."""
    return not running.evicting, own, running.priority, -running.reservation


def _allowed(queue: QuotaQueue, search: Search, rule: PreemptionRule) -> Iterator[Running]:
    match rule:
        case PreemptionRule.NEVER:
            return iter(())
        case PreemptionRule.ANY:
            return queue.running.staying_below(None)
        case PreemptionRule.LOWER_PRIORITY:
            return queue.running.staying_below(search.priority)
        case PreemptionRule.LOWER_OR_NEWER_EQUAL_PRIORITY:
            equal = queue.running.staying_at(search.priority)
            newer = (each for each in equal if search.sequence < each.workload.sequence)
            return chain(queue.running.staying_below(search.priority), newer)


def take_out(target: Running, queue: QuotaQueue) -> None:
    """Remove the usage of *target* from the ledger, as if it had stopped."""
    node = queue.account
    for key, amount in target.usage.items():
        node.cell(key).add(-amount)


def put_back(target: Running, queue: QuotaQueue) -> None:
    """Undo `take_out`."""
    node = queue.account
    for key, amount in target.usage.items():
        node.cell(key).add(amount)


def fill_back(targets: list[Target], search: Search, *, borrowing: bool) -> list[Target]:
    """
    Put back every target but the last that is not needed, latest first; return the others.

    The usage of the targets is out of the ledger, and that of the returned ones stays out
    (Kueue, spec 7.1). The last of the list takes the place of a target that is put back.
    """
    index = len(targets) - 2
    while index >= 0:
        target = targets[index]
        put_back(target.running, target.queue)
        if search.fits(borrowing=borrowing):
            targets[index] = targets[-1]
            targets.pop()
        else:
            take_out(target.running, target.queue)
        index -= 1
    return targets
