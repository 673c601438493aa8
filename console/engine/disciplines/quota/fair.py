"""Fair preemption: victims from the branches with the largest shares, within fair shares."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from console.engine.disciplines.quota.candidates import (
    Search,
    candidates_in,
    fill_back,
    in_order,
    put_back,
    take_out,
)
from console.engine.disciplines.quota.ledger import Node, QuotaQueue
from console.engine.disciplines.quota.levels import within_nominal
from console.engine.disciplines.quota.reasons import PREEMPTED_FOR_FAIR_SHARE, RECLAIMED_IN_COHORT
from console.engine.disciplines.quota.shares import Share, dominant_share
from console.engine.disciplines.quota.spec import FairStrategy, PreemptionRule
from console.engine.live.live_tree import Target
from console.engine.live.running import Running
from console.engine.model.common_reasons import PREEMPTED_IN_QUEUE
from console.engine.model.reasons import Reason


@dataclass(frozen=True, slots=True)
class Shares:
    """The dominant shares that decide on a candidate of another queue."""

    #: Share of the preemptor's branch with its request.
    ours: Share
    #: Share of the candidate's branch now, and once the candidate has stopped.
    before: Share
    after: Share
    #: Whether the shares allow its preemption.
    allow: bool


#: Candidate's id -> shares when it was last examined, in the order of the search.
Judged: TypeAlias = dict[str, Shares]


def find_fair(
    search: Search, strategies: tuple[FairStrategy, ...], judged: Judged | None = None
) -> list[Target]:
    """
    Return the workloads to preempt so that *search* fits and shares stay fair, or none.

    The ledger is unchanged afterwards (Kueue, spec 7.7 to 7.10). *judged* is filled with the
    shares of the examined candidates, for explanations.
    """
    candidates = candidates_by_node(search)
    if not candidates:
        return []
    node = search.queue.account
    for key, amount in search.usage.items():
        node.cell(key).add(amount)
    run = _Run(search, within=within_nominal(node, search.short), judged=judged)
    done = run.first(candidates, strategies[0])
    if not done and len(strategies) > 1:
        done = run.second()
    for key, amount in search.usage.items():
        node.cell(key).add(-amount)
    targets = fill_back(run.targets, search, borrowing=True) if done else run.targets
    for target in targets:
        put_back(target.running, target.queue)
    return targets if done else []


def candidates_by_node(search: Search) -> dict[Node, list[Running]]:
    """Return the candidates by the node of their queue, each in the order of preemption."""
    rules, own = search.rules, search.queue
    candidates: dict[Node, list[Running]] = {}
    for queue in own.tree.queues:
        if queue is own:
            found = candidates_in(queue, search, rules.within_queue)
        elif (
            own.account.parent is None
            or not queue.is_active
            or rules.reclaim_within_cohort is PreemptionRule.NEVER
            or within_nominal(queue.account, search.short)
        ):
            continue
        else:
            found = candidates_in(queue, search, rules.reclaim_within_cohort)
        ordered = sorted(found, key=lambda each: in_order(each, own=queue is own))
        if ordered:
            candidates[queue.account] = ordered
    return candidates


@dataclass(slots=True)
class _Run:
    """One search; the ledger counts the preemptor's request and does not count its targets."""

    search: Search
    #: Whether its queue stays within nominal quota with the request added.
    within: bool
    judged: Judged | None
    targets: list[Target] = field(default_factory=list)
    #: Candidates that the first strategy did not allow.
    skipped: dict[Node, list[Running]] = field(default_factory=dict)

    def first(self, candidates: dict[Node, list[Running]], strategy: FairStrategy) -> bool:
        ordering = _Ordering(self.search, candidates)
        while (node := ordering.next()) is not None:
            queue = self._queue(node)
            if queue is self.search.queue:
                reason = PREEMPTED_IN_QUEUE
            elif self.within:
                reason = RECLAIMED_IN_COHORT
            else:
                if self._take_fairly(node, ordering, strategy):
                    return True
                continue
            if self._take(ordering.pop(node), queue, reason):
                return True
        return False

    def second(self) -> bool:
        ordering = _Ordering(self.search, self.skipped)
        while (node := ordering.next()) is not None:
            ours, theirs = _almost_common(self.search.queue.account, node)
            new, old = dominant_share(ours), dominant_share(theirs)
            if new < old:
                candidate = ordering.pop(node)
                self._judge(candidate, node, new, old, allow=True)
                reason = PREEMPTED_FOR_FAIR_SHARE
                if self._take(candidate, self._queue(node), reason):
                    return True
            ordering.drop(node)
        return False

    def _take_fairly(self, node: Node, ordering: _Ordering, strategy: FairStrategy) -> bool:
        """Take a queue's first candidate that *strategy* allows; return whether it suffices."""
        queue = self._queue(node)
        ours, theirs = _almost_common(self.search.queue.account, node)
        new, old = dominant_share(ours), dominant_share(theirs)
        if new.is_unbounded and not old.is_unbounded:
            while ordering.has(node):
                candidate = ordering.pop(node)
                self._judge(candidate, node, new, old, allow=False)
                self.skipped.setdefault(node, []).append(candidate)
            return False
        while ordering.has(node):
            candidate = ordering.pop(node)
            if strategy is FairStrategy.FINAL_SHARE:
                take_out(candidate, queue)
                passes = new <= dominant_share(theirs)
                put_back(candidate, queue)
            else:
                passes = new < old
            self._judge(candidate, node, new, old, allow=passes)
            if passes:
                return self._take(candidate, queue, PREEMPTED_FOR_FAIR_SHARE)
            self.skipped.setdefault(node, []).append(candidate)
        return False

    def _take(self, running: Running, queue: QuotaQueue, reason: Reason) -> bool:
        take_out(running, queue)
        self.targets.append(Target(running, queue, reason))
        node = self.search.queue.account
        for key, amount in self.search.usage.items():
            node.cell(key).add(-amount)
        fits = self.search.fits()
        for key, amount in self.search.usage.items():
            node.cell(key).add(amount)
        return fits

    def _judge(self, running: Running, node: Node, new: Share, old: Share, *, allow: bool) -> None:
        if self.judged is None:
            return
        _, theirs = _almost_common(self.search.queue.account, node)
        take_out(running, self._queue(node))
        after = dominant_share(theirs)
        put_back(running, self._queue(node))
        self.judged[running.workload.id] = Shares(new, old, after, allow)

    def _queue(self, node: Node) -> QuotaQueue:
        return self.search.queue.tree.at[node]


class _Ordering:
    """The order of queues to preempt from: down from the root along the largest shares (7.8)."""

    def __init__(self, search: Search, candidates: dict[Node, list[Running]]) -> None:
        self._own = search.queue.account
        self._above = {self._own, *_ancestors(self._own)}
        self._root = self._own.root
        #: By node, reversed: the first candidate to preempt is popped.
        self._candidates = {node: list(reversed(each)) for node, each in candidates.items() if each}
        self._pruned: set[Node] = set()

    def has(self, node: Node) -> bool:
        return bool(self._candidates.get(node))

    def pop(self, node: Node) -> Running:
        return self._candidates[node].pop()

    def drop(self, node: Node) -> None:
        self._pruned.add(node)

    def next(self) -> Node | None:
        """Return the node of the queue whose candidate is examined next, or None at the end."""
        if not self._root.children:
            return self._root if self.has(self._root) else None
        while self._root not in self._pruned:
            found = self._descend(self._root)
            if found is not None:
                return found
        return None

    def _descend(self, cohort: Node) -> Node | None:
        queue, queue_share = self._best_queue(cohort)
        child, child_share = self._best_cohort(cohort)
        if queue is None and child is None:
            self._pruned.add(cohort)
            return None
        if child is not None and (queue is None or child_share >= queue_share):
            return self._descend(child)
        return queue

    def _best_queue(self, cohort: Node) -> tuple[Node | None, Share]:
        best, best_share = None, Share()
        for node in cohort.children:
            if node.children or node in self._pruned:
                continue
            share = dominant_share(node)
            if not self.has(node) or (not share.is_borrowing and node is not self._own):
                self._pruned.add(node)
                continue
            if best is None or share > best_share:
                best, best_share = node, share
            elif share == best_share and self._key(node) < self._key(best):
                best = node
        return best, best_share

    def _best_cohort(self, cohort: Node) -> tuple[Node | None, Share]:
        best, best_share = None, Share()
        for node in cohort.children:
            if not node.children or node in self._pruned:
                continue
            share = dominant_share(node)
            if not share.is_borrowing and node not in self._above:
                self._pruned.add(node)
                continue
            if best is None or share > best_share:
                best, best_share = node, share
            elif share == best_share and node.name < best.name:
                best = node
        return best, best_share

    def _key(self, node: Node) -> tuple[bool, bool, int, int]:
        return in_order(self._candidates[node][-1], own=node is self._own)


def _almost_common(ours: Node, theirs: Node) -> tuple[Node, Node]:
    """Return the children of the lowest common ancestor on the paths to *ours* and *theirs*."""
    above = set(_ancestors(theirs))
    mine = ours
    while mine.parent is not None and mine.parent not in above:
        mine = mine.parent
    common = mine.parent
    other = theirs
    while other.parent is not common:
        assert other.parent is not None
        other = other.parent
    return mine, other


def _ancestors(node: Node) -> list[Node]:
    above = []
    while node.parent is not None:
        node = node.parent
        above.append(node)
    return above
