"""Victim eligibility: why a search may not preempt a running workload, for explanations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from console.engine.disciplines.quota.candidates import Search
from console.engine.disciplines.quota.ledger import Node, QuotaQueue
from console.engine.disciplines.quota.levels import within_nominal
from console.engine.disciplines.quota.shares import dominant_share
from console.engine.disciplines.quota.spec import PreemptionRule
from console.engine.disciplines.quota.trace import CandidateVerdict
from console.engine.live.running import Running

#: A workload that the search did not consider, and why.
IneligibleVictim: TypeAlias = tuple[Running, QuotaQueue, CandidateVerdict]


def searched_queues(queue: QuotaQueue) -> list[QuotaQueue]:
    """Return the queues whose workloads the rules of *queue* may let it preempt, itself first."""
    assert queue.policy is not None
    rules = queue.policy.preemption
    queues = [queue] if rules.within_queue is not PreemptionRule.NEVER else []
    if rules.reclaim_within_cohort is not PreemptionRule.NEVER:
        queues += [each for each in queue.tree.queues if each is not queue]
    return queues


def ineligible_victims(
    search: Search, queue: QuotaQueue, considered: Callable[[str], bool], *, is_fair: bool
) -> Iterator[IneligibleVictim]:
    """
    Yield the workloads of *queue* that the search did not consider, each with the reason.

    The lowest priority and the latest come first. *considered* returns whether the search
    considered the workload with an id.
    """
    queue_verdict = (
        None if queue is search.queue else _queue_verdict(search, queue, is_fair=is_fair)
    )
    own = queue is search.queue
    rule = search.rules.within_queue if own else search.rules.reclaim_within_cohort
    for running in queue.running.from_lowest():
        if not considered(running.workload.id):
            yield running, queue, _workload_verdict(search, running, rule, queue_verdict)


def _queue_verdict(search: Search, queue: QuotaQueue, *, is_fair: bool) -> CandidateVerdict | None:
    """Return why no workload of another *queue* may be preempted; None: some may."""
    if not queue.is_active:
        return CandidateVerdict.QUEUE_INACTIVE
    if within_nominal(queue.account, search.short):
        return CandidateVerdict.QUEUE_WITHIN_NOMINAL
    for cohort in _up_to_common(queue.account, search.queue.account):
        if is_fair and not dominant_share(cohort).is_borrowing:
            return CandidateVerdict.COHORT_WITHIN_NOMINAL
        if not is_fair and within_nominal(cohort, search.short):
            return CandidateVerdict.COHORT_WITHIN_NOMINAL
    return None


def _up_to_common(node: Node, other: Node) -> Iterator[Node]:
    """Yield the cohorts above *node* that are not above *other*, the nearest first."""
    around = set()
    above = other.parent
    while above is not None:
        around.add(above)
        above = above.parent
    cohort = node.parent
    while cohort is not None and cohort not in around:
        yield cohort
        cohort = cohort.parent


def _workload_verdict(
    search: Search, running: Running, rule: PreemptionRule, queue_verdict: CandidateVerdict | None
) -> CandidateVerdict:
    if running.evicting:
        return CandidateVerdict.DEPARTING
    if queue_verdict is not None:
        return queue_verdict
    if not search.may_stop(running, rule):
        equal = rule is PreemptionRule.LOWER_OR_NEWER_EQUAL_PRIORITY
        if equal and running.priority == search.priority:
            return CandidateVerdict.NOT_NEWER
        return CandidateVerdict.PRIORITY_NOT_LOWER
    if search.short.isdisjoint(running.usage):
        return CandidateVerdict.OTHER_CAPACITY
    return CandidateVerdict.STOPPED_BEFORE
