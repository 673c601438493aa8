"""
The load plan of quota: the running workloads to load to explain a pending one.

An explanation shows the victims, other candidates, and one workload of each queue that may not be
preempted, with the reason. It needs the workloads that would be preempted first, and few others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from console.engine.disciplines.quota.futile_searches import cohort_priority_bound
from console.engine.disciplines.quota.ledger import QuotaQueue
from console.engine.disciplines.quota.report import LISTED
from console.engine.disciplines.quota.spec import PreemptionRule, QuotaSettings
from console.engine.model.load_plan import LoadPlan, RowsToLoad

#: The most running workloads of one queue to load. The explanation misses a preemption that needs
#: more of one queue.
_MAX_OF_QUEUE = 300

#: The most running workloads to load from all queues of a tree together, if only those below a
#: priority matter.
_MAX_OF_TREE = 1_000

#: The most queues without candidates to load workloads of, so that an explanation can give the
#: reason.
_MAX_SAMPLED_QUEUES = 8


def load_plan(
    queue: QuotaQueue,
    settings: QuotaSettings,
    requests: Iterable[Mapping[str, int]],
    priority: int,
    lowest: int | None,
) -> LoadPlan:
    """
    Return what to load for pending workloads of *queue* with *requests* and one *priority*.

    *lowest* is the lowest priority that runs in the queue; None: no workload runs there.
    """
    bounds = [cohort_priority_bound(queue, settings, each, priority, lowest) for each in requests]
    below = None if None in bounds else max(each for each in bounds if each is not None)
    assert queue.policy is not None
    rules = queue.policy.preemption
    rows: list[RowsToLoad] = []
    first: dict[str, int] = {}
    if rules.within_queue is not PreemptionRule.NEVER:
        rows += _rows_of_queue(queue, rules.within_queue, priority)
    if rules.reclaim_within_cohort is not PreemptionRule.NEVER:
        others = [each for each in queue.tree.queues if each is not queue]
        over = [each for each in others if _is_over(each)]
        # Below a bound, the candidates of all queues are few and are loaded together.
        if below is None:
            for each in over:
                rows += _rows_of_queue(each, rules.reclaim_within_cohort, priority)
        elif over:
            names = tuple(each.name for each in over)
            rows.append(RowsToLoad(queues=names, below=below, most=_MAX_OF_TREE))
        named = set() if below is not None else {each.name for each in over}
        in_use = [each for each in others if each.name not in named and each.account.usage]
        sampled = in_use[:_MAX_SAMPLED_QUEUES]
        first = {each.name: LISTED // len(sampled) + 1 for each in sampled}
    return LoadPlan(rows=tuple(rows), first=first)


def _is_over(queue: QuotaQueue) -> bool:
    return any(cell.over for cell in queue.account.cells.values())


def _rows_of_queue(queue: QuotaQueue, rule: PreemptionRule, priority: int) -> Iterator[RowsToLoad]:
    """Yield the rows of *queue* that *rule* lets *priority* preempt, and a few others."""
    names = (queue.name,)
    if rule is PreemptionRule.ANY:
        yield RowsToLoad(queues=names, most=_MAX_OF_QUEUE)
        return
    # Newer workloads of equal priority may be preempted; the search itself compares the times.
    equal = rule is PreemptionRule.LOWER_OR_NEWER_EQUAL_PRIORITY
    below = priority + 1 if equal else priority
    yield RowsToLoad(queues=names, below=below, most=_MAX_OF_QUEUE)
    yield RowsToLoad(queues=names, not_below=below, most=LISTED)
