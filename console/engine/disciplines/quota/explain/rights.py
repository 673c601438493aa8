"""Texts about preemption policy: the workloads that a queue may preempt, and the rules."""

from __future__ import annotations

from collections.abc import Iterator

from console.engine.disciplines.quota.trace import PreemptionStep
from console.engine.explain.preempted import COVERED, own_workloads, workloads
from console.engine.wording.words import listed, sentence_case

_STRATEGIES = {
    "less_than_or_equal_to_final_share": (
        "a workload may be preempted if its branch keeps, without it, at least the share that "
        "{queue} would have"
    ),
    "less_than_initial_share": (
        "a workload may be preempted if its branch has a larger share than {queue} would have"
    ),
}


def allowed(queue: str, step: PreemptionStep) -> str | None:
    """Return the sentence about all workloads that *queue* may preempt; None if there are none."""
    clauses = []
    if step.rule in COVERED:
        clauses.append(own_workloads(step.rule))
    if step.reclaim in COVERED:
        # With fair sharing, borrowWithinCohort is not used (Kueue, spec 7.5).
        borrowing = "" if step.strategies else _while_borrowing(step)
        clauses.append(f"in queues that borrow, {workloads(step.reclaim)}{borrowing}")
    elif clauses and step.reclaim is not None:
        clauses.append("nothing in other queues, even if they borrow")
    return f"What {queue} may preempt: {'; '.join(clauses)}." if clauses else None


def where_allowed(queue: str, step: PreemptionStep) -> str:
    """Return the phrase that names the queues in which *queue* may preempt workloads."""
    places = [queue] if step.rule in COVERED else []
    if step.reclaim in COVERED:
        places.append("the other queues of its cohort")
    elsewhere = "; it may not preempt in other queues" if step.reclaim == "never" else ""
    return f"in {listed(places)}{elsewhere}"


def _while_borrowing(step: PreemptionStep) -> str:
    if step.borrow is None:
        return ""
    if step.borrow not in COVERED:
        return ", unless it borrows itself"
    bound = f" up to priority {step.threshold}" if step.threshold is not None else ""
    return f", and while it borrows itself only {workloads(step.borrow)}{bound}"


def fair_sharing(queue: str, step: PreemptionStep) -> Iterator[str]:
    """Yield sentences that define a share, and the shares that allow a preemption."""
    if not step.strategies:
        return
    yield (
        "Fair sharing compares the two branches below the first cohort that both queues have in "
        "common; the share of a branch is what it borrows in percent of what could be lent, "
        "divided by its weight."
    )
    rules = [
        _STRATEGIES.get(each, "{rule}").format(queue=queue, rule=each) for each in step.strategies
    ]
    yield f"{'; if that is not enough, '.join([sentence_case(rules[0]), *rules[1:]])}."
