"""Classical preemption: by priority within the queue, and of borrowing queues in the cohort."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from heapq import heapify, heappop, heapreplace
from typing import NamedTuple, TypeAlias

from console.engine.disciplines.quota.candidates import (
    Search,
    candidates_in,
    fill_back,
    put_back,
    staying_in,
    stopping_in,
    take_out,
)
from console.engine.disciplines.quota.ledger import Node, QuotaQueue
from console.engine.disciplines.quota.levels import within_nominal
from console.engine.disciplines.quota.reasons import RECLAIMED_IN_COHORT, RECLAIMED_WHILE_BORROWING
from console.engine.disciplines.quota.spec import PreemptionRule
from console.engine.live.live_tree import Target
from console.engine.live.running import Running
from console.engine.model.amounts import Amount, FlavorResource
from console.engine.model.common_reasons import PREEMPTED_IN_QUEUE
from console.engine.model.reasons import Reason


class Candidate(NamedTuple):
    """A running workload that may be preempted, and the rule that allows it."""

    running: Running
    queue: QuotaQueue
    reason: Reason
    #: The lowest cohort above both its queue and the preemptor's; None: the same queue.
    common: Node | None = None
    #: Whether it may be preempted only if the preemptor does not borrow: to reclaim quota.
    only_without_borrowing: bool = False


_Find: TypeAlias = Callable[[QuotaQueue, Search, PreemptionRule], Iterator[Running]]


class _Source(NamedTuple):
    """A queue with candidates and the rule that allows them; *reason* None: by priority."""

    queue: QuotaQueue
    rule: PreemptionRule
    reason: Reason | None
    common: Node | None = None


#: The next candidate of a queue with its sort key, and an iterator over the candidates behind it.
_Head: TypeAlias = tuple[int, int, int, Running, _Source, Iterator[Running]]


class Candidates:
    """All candidates of one search, found lazily."""

    def __init__(self, search: Search) -> None:
        self._search = search
        rules = search.rules
        #: Queues that borrow from a subtree around the preemptor that has the quota for it: their
        #: workloads are reclaimed whatever their priority.
        self._hierarchical: list[_Source] = []
        #: Other queues of the cohort that borrow.
        self._priority: list[_Source] = []
        #: The preemptor's own queue.
        self._own = [_Source(search.queue, rules.within_queue, PREEMPTED_IN_QUEUE)]
        if search.queue.account.parent is not None and rules.reclaim_within_cohort is not (
            PreemptionRule.NEVER
        ):
            self._climb()

    @property
    def has_hierarchical(self) -> bool:
        """Whether a workload borrows quota of a subtree around the preemptor."""
        return self._has_candidates(self._hierarchical)

    @property
    def has_priority(self) -> bool:
        """Whether another workload of the cohort may be preempted."""
        return self._has_candidates(self._priority)

    def sequence(self) -> Iterator[Candidate]:
        """Yield all candidates in the order of preemption, evicting workloads first."""
        return self._in_order()

    def valid(self, *, borrowing: bool) -> Iterator[Candidate]:
        """
        Yield the candidates of `sequence` that may be preempted, as of the ledger at each step.

        With *borrowing* the preemptor borrows. No target may be put back during the iteration:
        a queue within its quota is assumed to stay so, and its other workloads are not examined.
        """
        return self._in_order(borrowing)

    def _has_candidates(self, group: list[_Source]) -> bool:
        return any(
            True for each in group for _ in candidates_in(each.queue, self._search, each.rule)
        )

    def _in_order(self, borrowing: bool | None = None) -> Iterator[Candidate]:
        """Yield all candidates in order; with *borrowing* given, only those valid for it."""
        groups = (self._hierarchical, self._priority, self._own)
        for group in groups:
            # Usually no workload is evicting, and there is nothing to merge.
            stopping = [source for source in group if source.queue.running.has_evicting]
            yield from self._merged(stopping, stopping_in, borrowing)
        for group in groups:
            yield from self._merged(group, staying_in, borrowing)

    def _merged(
        self, group: list[_Source], find: _Find, borrowing: bool | None
    ) -> Iterator[Candidate]:
        """Merge the candidates of several queues, each queue up to its first invalid candidate."""
        heads: list[_Head] = []
        for number, source in enumerate(group):
            line = find(source.queue, self._search, source.rule)
            for running in line:
                place = running.priority, -running.reservation, number
                heads.append((*place, running, source, line))
                break
        heapify(heads)
        while heads:
            _, _, number, running, source, line = heads[0]
            candidate = self._candidate(running, source)
            # The higher its priority, the less a borrowing preemptor may preempt it.
            if borrowing is None or self._is_valid(candidate, borrowing=borrowing):
                yield candidate
                for behind in line:
                    place = behind.priority, -behind.reservation, number
                    heapreplace(heads, (*place, behind, source, line))
                    break
                else:
                    heappop(heads)
            else:
                heappop(heads)

    def _candidate(self, running: Running, source: _Source) -> Candidate:
        if source.reason is None:
            return _by_priority(self._search, running, source)
        return Candidate(running, source.queue, source.reason, source.common)

    def _is_valid(self, candidate: Candidate, *, borrowing: bool) -> bool:
        if candidate.common is None:
            return True
        if borrowing and candidate.only_without_borrowing:
            return False
        node: Node | None = candidate.queue.account
        while node is not candidate.common:
            assert node is not None
            if within_nominal(node, self._search.short):
                return False
            node = node.parent
        return True

    def _climb(self) -> None:
        search = self._search
        node, rule = search.queue.account, search.rules.reclaim_within_cohort
        advantage = all(
            node.cell(key).used + amount <= node.cell(key).subtree
            for key, amount in search.usage.items()
        )
        rest: dict[FlavorResource, Amount] = {
            key: _beyond(amount, node.cell(key).local_available)
            for key, amount in search.usage.items()
        }
        visited, above = node, node.parent
        while above is not None:
            for queue in _borrowers(search, above, visited):
                if advantage:
                    reason = RECLAIMED_IN_COHORT
                    self._hierarchical.append(_Source(queue, rule, reason, above))
                else:
                    self._priority.append(_Source(queue, rule, None, above))
            fits = all(
                above.cell(key).used + amount <= above.cell(key).subtree
                for key, amount in rest.items()
            )
            rest = {
                key: _beyond(amount, above.cell(key).local_available)
                for key, amount in rest.items()
            }
            advantage = advantage or fits
            visited, above = above, above.parent


def find_classical(search: Search) -> list[Target]:
    """
    Return the workloads to preempt so that *search* fits; empty when no set suffices.

    The ledger is unchanged afterwards (Kueue, spec 7.2, 7.3).
    """
    found = Candidates(search)
    for borrowing in _attempts(search, found):
        targets = _attempt(search, found, borrowing=borrowing)
        if targets:
            return targets
    return []


def _borrowers(search: Search, node: Node, visited: Node | None) -> Iterator[QuotaQueue]:
    """Yield the queues below *node*, but not below *visited*, that exceed their nominal quota."""
    for child in node.children:
        if child is visited or within_nominal(child, search.short):
            continue
        if child.children:
            yield from _borrowers(search, child, None)
            continue
        queue = search.queue.tree.at.get(child)
        if queue is not None and queue.is_active and queue is not search.queue:
            yield queue


def _by_priority(search: Search, running: Running, source: _Source) -> Candidate:
    rules = search.rules
    threshold = rules.max_priority_threshold
    only_without_borrowing = (
        rules.borrow_within_cohort is PreemptionRule.NEVER
        or running.priority >= search.priority
        or (threshold is not None and running.priority > threshold)
    )
    reason = RECLAIMED_IN_COHORT if only_without_borrowing else RECLAIMED_WHILE_BORROWING
    return Candidate(running, source.queue, reason, source.common, only_without_borrowing)


def _attempts(search: Search, found: Candidates) -> tuple[bool, ...]:
    """Return the attempts in order, each as whether the preemptor may borrow (spec 7.3)."""
    has_hierarchical = found.has_hierarchical
    if not has_hierarchical and not found.has_priority:
        return (True,)
    if search.rules.borrow_within_cohort is PreemptionRule.NEVER:
        node = search.queue.account
        below = all(node.cell(key).used < node.cell(key).nominal for key in search.short)
        if not below:
            return (True,)
        if not has_hierarchical:
            return (False, True)
    return (True, False)


def _attempt(search: Search, found: Candidates, *, borrowing: bool) -> list[Target]:
    targets: list[Target] = []
    fits = False
    for each in found.valid(borrowing=borrowing):
        take_out(each.running, each.queue)
        targets.append(Target(each.running, each.queue, each.reason))
        fits = search.fits(borrowing=borrowing)
        if fits:
            break
    if fits:
        targets = fill_back(targets, search, borrowing=borrowing)
    for target in targets:
        put_back(target.running, target.queue)
    return targets if fits else []


def _beyond(amount: Amount, available: Amount) -> Amount:
    return amount - available if isinstance(available, int) and amount > available else 0
