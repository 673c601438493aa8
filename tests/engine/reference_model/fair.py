"""Fair preemption: targets from the queue with the largest share (spec 7.7 to 7.10)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from console.engine.disciplines.quota.spec import Cohort, FairStrategy, PreemptionRule, QueueSpec
from tests.engine.reference_model.candidates import (
    FAIR_SHARE,
    IN_QUEUE,
    RECLAIMED,
    Preemptor,
    Target,
    candidate_key,
    fits,
    may_preempt,
    uses_any,
    without_unneeded,
)
from tests.engine.reference_model.shares import Share, share
from tests.engine.reference_model.tree import Node, Tree
from tests.engine.reference_model.world import Running


def fair_targets(
    tree: Tree, running: Iterable[Running], preemptor: Preemptor, strategies: Sequence[FairStrategy]
) -> list[Target]:
    """Return the workloads to preempt so that *preemptor* fits; empty if none suffice."""
    search = _Search(tree.copy(), list(running), preemptor)
    found = search.first(strategies[0])
    if not found and len(strategies) > 1:
        found = search.second()
    return search.needed_targets() if found else []


class _Search:
    """One target search: the tree with the preemptor's request, and without the chosen targets."""

    def __init__(self, tree: Tree, running: list[Running], preemptor: Preemptor) -> None:
        self.tree = tree
        self.preemptor = preemptor
        self.targets: list[Target] = []
        #: Candidates that failed the first strategy, in that order.
        self.retry: list[Running] = []
        found = [each for each in running if _is_candidate(tree, preemptor, each)]
        self.candidates = sorted(found, key=lambda each: candidate_key(preemptor, each))
        tree.add(preemptor.queue.name, preemptor.request)

    def first(self, strategy: FairStrategy) -> bool:
        """Preempt candidates that pass *strategy* until the preemptor fits."""
        order = _Order(self.tree, self.preemptor, self.candidates)
        within_nominal = self.tree.is_within_nominal(self.preemptor.queue, self.preemptor.short)
        while (queue := order.next()) is not None:
            mine = order.of(queue)
            if queue is self.preemptor.queue or within_nominal:
                reason = IN_QUEUE if queue is self.preemptor.queue else RECLAIMED
                if self._stop(order, mine[0], reason):
                    return True
                continue
            new, old = self._sides(queue)
            for each in mine:
                if self._passes(strategy, queue, each, new, old):
                    if self._stop(order, each, FAIR_SHARE):
                        return True
                    break
                order.drop(each)
                self.retry.append(each)
        return False

    def second(self) -> bool:
        """Preempt at most one candidate of each queue whose share exceeds the preemptor's."""
        order = _Order(self.tree, self.preemptor, self.retry)
        while (queue := order.next()) is not None:
            new, old = self._sides(queue)
            if new < old and self._stop(order, order.of(queue)[0], FAIR_SHARE):
                return True
            order.pruned.append(queue)
        return False

    def needed_targets(self) -> list[Target]:
        """Return the targets that are needed."""
        self.tree.remove(self.preemptor.queue.name, self.preemptor.request)
        return without_unneeded(
            self.tree, self.targets, lambda: fits(self.tree, self.preemptor, may_borrow=True)
        )

    def _stop(self, order: _Order, running: Running, reason: str) -> bool:
        """Remove *running* from the tree; return whether the preemptor fits now."""
        order.drop(running)
        self.tree.remove(running.queue, running.usage)
        self.targets.append(Target(running=running, reason=reason))
        self.tree.remove(self.preemptor.queue.name, self.preemptor.request)
        enough = fits(self.tree, self.preemptor, may_borrow=True)
        self.tree.add(self.preemptor.queue.name, self.preemptor.request)
        return enough

    def _sides(self, queue: QueueSpec) -> tuple[Share, Share]:
        """Return the shares of the preemptor's and the other subtree below their common cohort."""
        return share(self.tree, self._side(self.preemptor.queue, queue)), share(
            self.tree, self._side(queue, self.preemptor.queue)
        )

    def _side(self, queue: QueueSpec, other: QueueSpec) -> Node:
        others = [each.name for each in self.tree.path(other)]
        side: Node = queue
        for cohort in self.tree.path(queue):
            if cohort.name in others:
                break
            side = cohort
        return side

    def _passes(
        self, strategy: FairStrategy, queue: QueueSpec, candidate: Running, new: Share, old: Share
    ) -> bool:
        if new.value is None and old.value is not None:
            return False
        if strategy is FairStrategy.INITIAL_SHARE:
            return new < old
        after = self.tree.without([candidate])
        return new <= share(after, self._side(queue, self.preemptor.queue))


class _Order:
    """Order of queues to preempt from: down from the root, by the largest share (spec 7.8)."""

    def __init__(self, tree: Tree, preemptor: Preemptor, candidates: list[Running]) -> None:
        self.tree = tree
        self.preemptor = preemptor
        self.candidates = list(candidates)
        self.pruned: list[Node] = []

    def of(self, queue: QueueSpec) -> list[Running]:
        """Return the remaining candidates of *queue* in order."""
        return [each for each in self.candidates if each.queue == queue.name]

    def drop(self, running: Running) -> None:
        """Remove *running* from the candidates."""
        self.candidates.remove(running)

    def next(self) -> QueueSpec | None:
        """Return the next queue to preempt from, or None if no candidate is left."""
        root = self.tree.root(self.preemptor.queue)
        if isinstance(root, QueueSpec):
            return root if self.of(root) and root not in self.pruned else None
        while root not in self.pruned:
            found = self._walk(root)
            if found is not None:
                return found
        return None

    def _walk(self, cohort: Cohort) -> QueueSpec | None:
        queues: list[QueueSpec] = []
        for queue in self.tree.queues_of(cohort):
            if queue in self.pruned:
                continue
            is_borrowing = share(self.tree, queue).is_borrowing
            if self.of(queue) and (is_borrowing or queue is self.preemptor.queue):
                queues.append(queue)
            else:
                self.pruned.append(queue)
        cohorts: list[Cohort] = []
        for child in self.tree.cohorts_of(cohort):
            if child in self.pruned:
                continue
            if share(self.tree, child).is_borrowing or child in self.tree.path(
                self.preemptor.queue
            ):
                cohorts.append(child)
            else:
                self.pruned.append(child)
        if not queues and not cohorts:
            self.pruned.append(cohort)
            return None
        # On a tie, the queue whose first candidate sorts first wins, so it has to come first here.
        queues.sort(key=lambda each: candidate_key(self.preemptor, self.of(each)[0]))
        best_queue = max(queues, key=lambda each: share(self.tree, each), default=None)
        best_cohort = max(cohorts, key=lambda each: share(self.tree, each), default=None)
        if best_cohort is not None and (
            best_queue is None or share(self.tree, best_cohort) >= share(self.tree, best_queue)
        ):
            return self._walk(best_cohort)
        return best_queue


def _is_candidate(tree: Tree, preemptor: Preemptor, running: Running) -> bool:
    if not uses_any(running, preemptor.short):
        return False
    policy = preemptor.queue.preemption
    if running.queue == preemptor.queue.name:
        return may_preempt(policy.within_queue, preemptor, running)
    queue = tree.queue(running.queue)
    return (
        preemptor.queue.parent is not None
        and queue.name in tree.active
        and tree.root(queue) is tree.root(preemptor.queue)
        and policy.reclaim_within_cohort is not PreemptionRule.NEVER
        and not tree.is_within_nominal(queue, preemptor.short)
        and may_preempt(policy.reclaim_within_cohort, preemptor, running)
    )
