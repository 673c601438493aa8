"""Classical preemption: by priority, and reclaim from borrowers in the cohort (spec 7.2, 7.3)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from console.engine.disciplines.quota.spec import Cohort, Preemption, PreemptionRule, QueueSpec
from tests.engine.reference_model.candidates import (
    IN_QUEUE,
    RECLAIMED,
    WHILE_BORROWING,
    Preemptor,
    Target,
    candidate_key,
    fits,
    may_preempt,
    uses_any,
    without_unneeded,
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


def classical_targets(tree: Tree, running: Iterable[Running], preemptor: Preemptor) -> list[Target]:
    """Return the workloads to preempt so that *preemptor* fits; empty if none suffice."""
    everybody = list(running)
    own = _own(everybody, preemptor)
    hierarchical, by_priority = _others(tree, everybody, preemptor)
    lists = (hierarchical, by_priority, own)
    sequence = [each for part in lists for each in part if each.running.is_evicted]
    sequence += [each for part in lists for each in part if not each.running.is_evicted]
    for may_borrow in _attempts(tree, preemptor, hierarchical, by_priority):
        targets = _attempt(tree.copy(), preemptor, sequence, may_borrow=may_borrow)
        if targets:
            return targets
    return []


def _own(running: list[Running], preemptor: Preemptor) -> list[Candidate]:
    rule = preemptor.queue.preemption.within_queue
    found = [
        each
        for each in running
        if each.queue == preemptor.queue.name
        and may_preempt(rule, preemptor, each)
        and uses_any(each, preemptor.short)
    ]
    ordered = sorted(found, key=lambda each: candidate_key(preemptor, each))
    return [Candidate(running=each, reason=IN_QUEUE) for each in ordered]


def _others(
    tree: Tree, running: list[Running], preemptor: Preemptor
) -> tuple[list[Candidate], list[Candidate]]:
    """
    Return candidates of other queues: those to reclaim from, and those compared by priority.

    Walks up from the queue: once the request fits the quota of a subtree that contains the
    queue, usage outside that subtree borrows that quota.
    """
    hierarchical: list[Candidate] = []
    by_priority: list[Candidate] = []
    policy = preemptor.queue.preemption
    if policy.reclaim_within_cohort is PreemptionRule.NEVER:
        return hierarchical, by_priority
    below: Node = preemptor.queue
    rest = dict(preemptor.request)
    has_advantage = False
    for cohort in [None, *tree.path(preemptor.queue)]:
        if cohort is not None:
            for queue in _over_nominal(tree, cohort, below, preemptor):
                for each in running:
                    if each.queue != queue.name or not uses_any(each, preemptor.short):
                        continue
                    if not may_preempt(policy.reclaim_within_cohort, preemptor, each):
                        continue
                    if has_advantage:
                        hierarchical.append(
                            Candidate(running=each, reason=RECLAIMED, common=cohort)
                        )
                    else:
                        by_priority.append(_judged_by_priority(policy, preemptor, each, cohort))
            below = cohort
        fits_here = not any(tree.borrows_with(below, pair, rest[pair]) for pair in rest)
        has_advantage = has_advantage or fits_here
        rest = {pair: max(0, rest[pair] - tree.local_available(below, pair)) for pair in rest}
    for part in (hierarchical, by_priority):
        part.sort(key=lambda each: candidate_key(preemptor, each.running))
    return hierarchical, by_priority


def _over_nominal(
    tree: Tree, cohort: Cohort, visited: Node, preemptor: Preemptor
) -> list[QueueSpec]:
    """Return the queues under *cohort* that exceed their nominal quota in a short resource."""
    found: list[QueueSpec] = []
    for child in tree.children(cohort):
        if child is visited or tree.is_within_nominal(child, preemptor.short):
            continue
        if isinstance(child, Cohort):
            found += _over_nominal(tree, child, visited, preemptor)
        elif child.name in tree.active:
            found.append(child)
    return found


def _judged_by_priority(
    policy: Preemption, preemptor: Preemptor, running: Running, common: Cohort
) -> Candidate:
    threshold = policy.max_priority_threshold
    protected = (
        policy.borrow_within_cohort is PreemptionRule.NEVER
        or running.priority >= preemptor.priority
        or (threshold is not None and running.priority > threshold)
    )
    return Candidate(
        running=running,
        reason=RECLAIMED if protected else WHILE_BORROWING,
        not_while_borrowing=protected,
        common=common,
    )


def _attempts(
    tree: Tree, preemptor: Preemptor, hierarchical: list[Candidate], by_priority: list[Candidate]
) -> list[bool]:
    """Return whether borrowing is allowed, for each attempt in order."""
    never_borrows = preemptor.queue.preemption.borrow_within_cohort is PreemptionRule.NEVER
    is_below_nominal = all(
        tree.usage(preemptor.queue, pair) < tree.nominal(preemptor.queue, pair)
        for pair in preemptor.short
    )
    if not hierarchical and not by_priority:
        return [True]
    if never_borrows and not is_below_nominal:
        return [True]
    if never_borrows and not hierarchical:
        return [False, True]
    return [True, False]


def _attempt(
    tree: Tree, preemptor: Preemptor, sequence: list[Candidate], *, may_borrow: bool
) -> list[Target]:
    targets: list[Target] = []
    for each in sequence:
        if each.common is not None and (
            (may_borrow and each.not_while_borrowing) or not _still_borrows(tree, preemptor, each)
        ):
            continue
        tree.remove(each.running.queue, each.running.usage)
        targets.append(Target(running=each.running, reason=each.reason))
        if fits(tree, preemptor, may_borrow=may_borrow):
            return without_unneeded(
                tree, targets, lambda: fits(tree, preemptor, may_borrow=may_borrow)
            )
    return []


def _still_borrows(tree: Tree, preemptor: Preemptor, candidate: Candidate) -> bool:
    """Return whether the queue and all cohorts below the common one still exceed nominal quota."""
    node: Node | None = tree.queue(candidate.running.queue)
    while node is not None and node is not candidate.common:
        if tree.is_within_nominal(node, preemptor.short):
            return False
        node = tree.parent(node)
    return True
