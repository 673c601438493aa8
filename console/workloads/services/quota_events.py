"""Which admissions borrow from their cohort, and which preemptions take quota back: pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from console.engine.amounts import Amount, Unlimited
from console.engine.decision import Decision, Outcome, Reason
from console.engine.ledger import FlavorResource

#: Why a workload has to stop for one of another queue.
_ACROSS_QUEUES: Final = frozenset(
    {
        Reason.RECLAIMED_IN_COHORT,
        Reason.RECLAIMED_WHILE_BORROWING,
        Reason.PREEMPTED_FOR_FAIR_SHARE,
    }
)


@dataclass(frozen=True, slots=True)
class Taken:
    """What one admitted workload takes of its queue's flavor-resources, in thousandths."""

    queue: str
    usage: Mapping[FlavorResource, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reclaim:
    """Workloads of other queues that have to stop for one workload, all for one reason."""

    #: Ids.
    preemptor: str
    victims: tuple[str, ...]
    #: The queue of the preemptor; None when the decision does not tell.
    queue: str | None
    reason: Reason


def loans_of(
    admissions: Sequence[Taken],
    usage: Callable[[str], Mapping[FlavorResource, int]],
    nominal: Callable[[str, FlavorResource], Amount],
) -> list[dict[FlavorResource, int]]:
    """
    Return what each of *admissions* borrows: the part of it that is above its queue's nominal.

    *admissions* are in the order in which they were made, and *usage* is what a queue
    holds after all of them; nothing else may have changed it in between.
    """
    held: dict[str, dict[FlavorResource, int]] = {}
    loans = []
    # From the last to the first, taking each one back: so every one is judged on what its
    # queue held right after it.
    for taken in reversed(admissions):
        if taken.queue not in held:
            held[taken.queue] = dict(usage(taken.queue))
        after = held[taken.queue]
        loan = {}
        for key, amount in taken.usage.items():
            own = nominal(taken.queue, key)
            above = 0 if isinstance(own, Unlimited) else min(amount, after[key] - own)
            if above > 0:
                loan[key] = above
            after[key] -= amount
        loans.append(loan)
    return loans[::-1]


def reclaims_of(decisions: Iterable[Decision]) -> list[Reclaim]:
    """Return for whom *decisions* stop workloads of other queues, in the order of deciding."""
    victims: dict[tuple[str, str | None, Reason], list[str]] = {}
    for decision in decisions:
        if decision.outcome is not Outcome.PREEMPTED or decision.reason not in _ACROSS_QUEUES:
            continue
        assert decision.preemptor is not None, decision
        key = (decision.preemptor, preemptor_queue(decision), decision.reason)
        victims.setdefault(key, []).append(decision.workload)
    return [
        Reclaim(preemptor=preemptor, queue=queue, reason=reason, victims=tuple(stopped))
        for (preemptor, queue, reason), stopped in victims.items()
    ]


def preemptor_queue(decision: Decision) -> str | None:
    """Return the queue for which a preempted workload has to stop."""
    step = decision.trace.preempted
    return step.queue if step else None
