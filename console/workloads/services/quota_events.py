"""Loans and reclaims of decisions: admissions that borrow, preemptions for other queues."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from console.engine.model.amounts import Amount, FlavorResource, Unlimited
from console.engine.model.decision import Decision, Outcome
from console.engine.model.reasons import Reason
from console.engine.model.trace import Trace
from console.engine.state import State


@dataclass(frozen=True, slots=True)
class AdmissionUsage:
    """Queue and usage, in thousandths, of one admitted workload, for the quota that it borrows."""

    queue: str
    usage: Mapping[FlavorResource, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Loan:
    """The usage of one admitted workload beyond the nominal quota of its queue."""

    #: Id of the workload.
    workload: str
    queue: str
    #: The parent cohort of the queue.
    cohort: str
    #: Thousandths by "flavor/resource".
    borrowed: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reclaim:
    """Workloads of other queues that are preempted for one workload, all for one reason."""

    #: Ids of workloads.
    preemptor: str
    victims: tuple[str, ...]
    #: The queue of the preemptor; None if the decision does not contain it.
    queue: str | None
    reason: Reason


def loans_made(state: State, decisions: Iterable[Decision]) -> list[Loan]:
    """
    Return the loans of admissions among *decisions*, in the order of decisions.

    *state* has just settled with these decisions; no other fact was applied since.
    """
    admitted = []
    for decision in decisions:
        if decision.outcome is Outcome.ADMITTED and decision.queue is not None:
            queue = state.policy.queue(decision.queue)
            if queue is not None and queue.parent is not None:
                admitted.append((decision.workload, decision.queue, queue.parent))
    loans = loans_of(
        [AdmissionUsage(queue, state.running[uid].usage) for uid, queue, _ in admitted],
        state.usage,
        lambda queue, key: state.ledger.queue(queue).guaranteed(key),
    )
    return [
        Loan(workload=uid, queue=queue, cohort=cohort, borrowed=_places(loan))
        for (uid, queue, cohort), loan in zip(admitted, loans, strict=True)
        if loan
    ]


def _places(amounts: Mapping[FlavorResource, int]) -> dict[str, int]:
    return {f"{flavor}/{resource}": amount for (flavor, resource), amount in amounts.items()}


def loans_of(
    admissions: Sequence[AdmissionUsage],
    usage: Callable[[str], Mapping[FlavorResource, int]],
    nominal: Callable[[str, FlavorResource], Amount],
) -> list[dict[FlavorResource, int]]:
    """
    Return the loan of each of *admissions*: its usage beyond the nominal quota of its queue.

    *admissions* are in order, and *usage* returns the usage of a queue after all of them; no other
    change may have happened in between.
    """
    held: dict[str, dict[FlavorResource, int]] = {}
    loans = []
    # From last to first, subtracting each admission: so each one is compared with the usage of its
    # queue right after it.
    for taken in reversed(admissions):
        if taken.queue not in held:
            held[taken.queue] = dict(usage(taken.queue))
        after = held[taken.queue]
        loan = {}
        for key, amount in taken.usage.items():
            if not amount:
                # A request of zero has a flavor, borrows nothing, and is absent from the usage.
                continue
            own = nominal(taken.queue, key)
            above = 0 if isinstance(own, Unlimited) else min(amount, after[key] - own)
            if above > 0:
                loan[key] = above
            after[key] -= amount
        loans.append(loan)
    return loans[::-1]


def reclaims_of(decisions: Iterable[tuple[Decision, Trace]]) -> list[Reclaim]:
    """
    Return the preemptors of *decisions* that preempt workloads of other queues, in order.

    Each decision comes with its trace, which contains the queue of the preemptor.
    """
    victims: dict[tuple[str, str | None, Reason], list[str]] = {}
    for decision, trace in decisions:
        if decision.outcome is not Outcome.PREEMPTED or decision.reason.preemption_grant is None:
            continue
        assert decision.preemptor is not None, decision
        key = (decision.preemptor, preemptor_queue(trace), decision.reason)
        victims.setdefault(key, []).append(decision.workload)
    return [
        Reclaim(preemptor=preemptor, queue=queue, reason=reason, victims=tuple(stopped))
        for (preemptor, queue, reason), stopped in victims.items()
    ]


def preemptor_queue(trace: Trace) -> str | None:
    """Return the queue of the workload for which that of *trace* is preempted."""
    return trace.preempted.queue if trace.preempted else None
