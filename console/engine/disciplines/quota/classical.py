"""Classical preemption: within the queue by priority, in the cohort what others borrow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from console.engine.amounts import Amount
from console.engine.decision import Reason
from console.engine.disciplines.quota.candidates import (
    Search,
    candidates_in,
    fill_back,
    in_order,
    put_back,
    take_out,
)
from console.engine.disciplines.quota.levels import within_nominal
from console.engine.ledger import FlavorResource, Node
from console.engine.policy import PreemptionRule
from console.engine.running import Running
from console.engine.tree import QueueState, Target


@dataclass(frozen=True, slots=True)
class Candidate:
    """A running workload that might be stopped, and by what right."""

    running: Running
    queue: QueueState
    reason: Reason
    #: The lowest cohort above both its queue and the preemptor's; None: the same queue.
    common: Node | None = None
    #: The preemptor must not borrow for it: it may only be reclaimed.
    only_without_borrowing: bool = False


@dataclass(frozen=True, slots=True)
class Candidates:
    """Everybody who might be stopped, each list in the order of stopping."""

    #: Those who use what a subtree around the preemptor owns: taken back by policy alone.
    hierarchical: list[Candidate]
    #: Other workloads of the cohort.
    priority: list[Candidate]
    #: Those of the same queue.
    own: list[Candidate]

    def sequence(self) -> list[Candidate]:
        """Return all of them in the order of stopping: whoever is stopping already first."""
        everybody = [*self.hierarchical, *self.priority, *self.own]
        return sorted(everybody, key=lambda each: not each.running.departing)


def find_classical(search: Search) -> list[Target]:
    """
    Return the workloads to stop so that *search* fits, or none when no set would do.

    The ledger is left as it was (Kueue, spec 7.2, 7.3).
    """
    found = collect(search)
    sequence = found.sequence()
    if not sequence:
        return []
    for borrowing in _attempts(search, found):
        targets = _attempt(search, sequence, borrowing=borrowing)
        if targets:
            return targets
    return []


def collect(search: Search) -> Candidates:
    """Return everybody who might be stopped for *search*."""
    rules = search.rules
    own = [
        Candidate(running, search.queue, Reason.PREEMPTED_IN_QUEUE)
        for running in candidates_in(search.queue, search, rules.within_queue)
    ]
    hierarchical: list[Candidate] = []
    priority: list[Candidate] = []
    if search.queue.node.parent is not None and rules.reclaim_within_cohort is not (
        PreemptionRule.NEVER
    ):
        _climb(search, hierarchical, priority)
    for group, is_own in ((hierarchical, False), (priority, False), (own, True)):
        group.sort(key=lambda each: in_order(each.running, own=is_own))
    return Candidates(hierarchical, priority, own)


def _climb(search: Search, hierarchical: list[Candidate], priority: list[Candidate]) -> None:
    node = search.queue.node
    advantage = all(
        node.cell(key).used + amount <= node.cell(key).subtree
        for key, amount in search.usage.items()
    )
    rest: dict[FlavorResource, Amount] = {
        key: _beyond(amount, node.cell(key).local_available) for key, amount in search.usage.items()
    }
    visited, above = node, node.parent
    while above is not None:
        for queue in _borrowers(search, above, visited):
            for running in candidates_in(queue, search, search.rules.reclaim_within_cohort):
                if advantage:
                    hierarchical.append(
                        Candidate(running, queue, Reason.RECLAIMED_IN_COHORT, above)
                    )
                else:
                    priority.append(_by_priority(search, running, queue, above))
        fits = all(
            above.cell(key).used + amount <= above.cell(key).subtree for key, amount in rest.items()
        )
        rest = {
            key: _beyond(amount, above.cell(key).local_available) for key, amount in rest.items()
        }
        advantage = advantage or fits
        visited, above = above, above.parent


def _borrowers(search: Search, node: Node, visited: Node | None) -> Iterator[QueueState]:
    """Yield the queues below *node*, but not below *visited*, that are over nominal."""
    for child in node.children:
        if child is visited or within_nominal(child, search.short):
            continue
        if child.children:
            yield from _borrowers(search, child, None)
            continue
        queue = search.queue.tree.at.get(child)
        if queue is not None and queue.is_active and queue is not search.queue:
            yield queue


def _by_priority(search: Search, running: Running, queue: QueueState, common: Node) -> Candidate:
    rules = search.rules
    threshold = rules.max_priority_threshold
    only_without_borrowing = (
        rules.borrow_within_cohort is PreemptionRule.NEVER
        or running.priority >= search.priority
        or (threshold is not None and running.priority > threshold)
    )
    reason = (
        Reason.RECLAIMED_IN_COHORT if only_without_borrowing else Reason.RECLAIMED_WHILE_BORROWING
    )
    return Candidate(running, queue, reason, common, only_without_borrowing)


def _attempts(search: Search, found: Candidates) -> tuple[bool, ...]:
    """Return in which attempts the preemptor may borrow, in order (spec 7.3)."""
    if not found.hierarchical and not found.priority:
        return (True,)
    if search.rules.borrow_within_cohort is PreemptionRule.NEVER:
        node = search.queue.node
        below = all(node.cell(key).used < node.cell(key).nominal for key in search.short)
        if not below:
            return (True,)
        if not found.hierarchical:
            return (False, True)
    return (True, False)


def _attempt(search: Search, sequence: list[Candidate], *, borrowing: bool) -> list[Target]:
    targets: list[Target] = []
    fits = False
    for each in sequence:
        if each.common is not None and not _still_valid(search, each, borrowing=borrowing):
            continue
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


def _still_valid(search: Search, candidate: Candidate, *, borrowing: bool) -> bool:
    if borrowing and candidate.only_without_borrowing:
        return False
    node: Node | None = candidate.queue.node
    while node is not candidate.common:
        assert node is not None
        if within_nominal(node, search.short):
            return False
        node = node.parent
    return True


def _beyond(amount: Amount, available: Amount) -> Amount:
    return amount - available if isinstance(available, int) and amount > available else 0
