"""Classical preemption: by priority, and reclaim from borrowers in the cohort (spec 7.2, 7.3)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from console.engine.disciplines.quota.spec import Cohort, Preemption, PreemptionRule, QueueSpec
from tests.engine.reference_model.candidates import (
    IN_QUEUE,
    RECLAIMED,
    WHILE_BORROWING,
    Asker,
    Target,
    fits,
    holds_some,
    may_stop,
    place,
    spare,
)
from tests.engine.reference_model.tree import Node, Tree
from tests.engine.reference_model.world import Running


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A running workload that may be preempted."""

    running: Running
    reason: str
    #: Only a preemptor that does not borrow may preempt this candidate.
    not_while_borrowing: bool = False
    #: The lowest cohort above both queues; None within the preemptor's own queue.
    common: Cohort | None = None


def classical_targets(tree: Tree, running: Iterable[Running], asker: Asker) -> list[Target]:
    """Return the workloads to preempt so that *asker* fits; empty if none suffice."""
    everybody = list(running)
    own = _own(everybody, asker)
    hierarchical, by_priority = _others(tree, everybody, asker)
    lists = (hierarchical, by_priority, own)
    sequence = [each for part in lists for each in part if each.running.is_evicted]
    sequence += [each for part in lists for each in part if not each.running.is_evicted]
    for may_borrow in _attempts(tree, asker, hierarchical, by_priority):
        targets = _attempt(tree.copy(), asker, sequence, may_borrow=may_borrow)
        if targets:
            return targets
    return []


def _own(running: list[Running], asker: Asker) -> list[Candidate]:
    rule = asker.queue.preemption.within_queue
    found = [
        each
        for each in running
        if each.queue == asker.queue.name
        and may_stop(rule, asker, each)
        and holds_some(each, asker.short)
    ]
    ordered = sorted(found, key=lambda each: place(asker, each))
    return [Candidate(running=each, reason=IN_QUEUE) for each in ordered]


def _others(
    tree: Tree, running: list[Running], asker: Asker
) -> tuple[list[Candidate], list[Candidate]]:
    """
    Return candidates of other queues: those to reclaim from, and those compared by priority.

    Walks up from the queue: once the request fits the quota of a subtree that contains the
    queue, usage outside that subtree borrows that quota.
    """
    hierarchical: list[Candidate] = []
    by_priority: list[Candidate] = []
    policy = asker.queue.preemption
    if policy.reclaim_within_cohort is PreemptionRule.NEVER:
        return hierarchical, by_priority
    below: Node = asker.queue
    rest = dict(asker.request)
    has_advantage = False
    for cohort in [None, *tree.path(asker.queue)]:
        if cohort is not None:
            for queue in _over_nominal(tree, cohort, below, asker):
                for each in running:
                    if each.queue != queue.name or not holds_some(each, asker.short):
                        continue
                    if not may_stop(policy.reclaim_within_cohort, asker, each):
                        continue
                    if has_advantage:
                        hierarchical.append(
                            Candidate(running=each, reason=RECLAIMED, common=cohort)
                        )
                    else:
                        by_priority.append(_judged_by_priority(policy, asker, each, cohort))
            below = cohort
        fits_here = not any(tree.borrows_with(below, pair, rest[pair]) for pair in rest)
        has_advantage = has_advantage or fits_here
        rest = {pair: max(0, rest[pair] - tree.local_available(below, pair)) for pair in rest}
    for part in (hierarchical, by_priority):
        part.sort(key=lambda each: place(asker, each.running))
    return hierarchical, by_priority


def _over_nominal(tree: Tree, cohort: Cohort, visited: Node, asker: Asker) -> list[QueueSpec]:
    """Return the queues under *cohort* that exceed their nominal quota in a short resource."""
    found: list[QueueSpec] = []
    for child in tree.children(cohort):
        if child is visited or tree.is_within_nominal(child, asker.short):
            continue
        if isinstance(child, Cohort):
            found += _over_nominal(tree, child, visited, asker)
        elif child.name in tree.active:
            found.append(child)
    return found


def _judged_by_priority(
    policy: Preemption, asker: Asker, running: Running, common: Cohort
) -> Candidate:
    threshold = policy.max_priority_threshold
    protected = (
        policy.borrow_within_cohort is PreemptionRule.NEVER
        or running.priority >= asker.priority
        or (threshold is not None and running.priority > threshold)
    )
    return Candidate(
        running=running,
        reason=RECLAIMED if protected else WHILE_BORROWING,
        not_while_borrowing=protected,
        common=common,
    )


def _attempts(
    tree: Tree, asker: Asker, hierarchical: list[Candidate], by_priority: list[Candidate]
) -> list[bool]:
    """Return whether borrowing is allowed, for each attempt in order."""
    never_borrows = asker.queue.preemption.borrow_within_cohort is PreemptionRule.NEVER
    is_below_nominal = all(
        tree.usage(asker.queue, pair) < tree.nominal(asker.queue, pair) for pair in asker.short
    )
    if not hierarchical and not by_priority:
        return [True]
    if never_borrows and not is_below_nominal:
        return [True]
    if never_borrows and not hierarchical:
        return [False, True]
    return [True, False]


def _attempt(
    tree: Tree, asker: Asker, sequence: list[Candidate], *, may_borrow: bool
) -> list[Target]:
    targets: list[Target] = []
    for each in sequence:
        if each.common is not None and (
            (may_borrow and each.not_while_borrowing) or not _still_borrows(tree, asker, each)
        ):
            continue
        tree.remove(each.running.queue, each.running.usage)
        targets.append(Target(running=each.running, reason=each.reason))
        if fits(tree, asker, may_borrow=may_borrow):
            return spare(tree, targets, lambda: fits(tree, asker, may_borrow=may_borrow))
    return []


def _still_borrows(tree: Tree, asker: Asker, candidate: Candidate) -> bool:
    """Return whether the queue and all cohorts below the common one still exceed nominal quota."""
    node: Node | None = tree.queue(candidate.running.queue)
    while node is not None and node is not candidate.common:
        if tree.is_within_nominal(node, asker.short):
            return False
        node = tree.parent(node)
    return True
