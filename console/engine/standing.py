"""Where somebody stands: what is told of those who wait, and of those who have to stop."""

from __future__ import annotations

from collections.abc import Iterator

from console.engine import record
from console.engine.decision import CANNOT_RUN, Decision, Reason
from console.engine.disciplines import Report
from console.engine.pending import Pending, PendingClass, Verdict
from console.engine.policy import Policy
from console.engine.trace import OrderStep, TurnStep
from console.engine.tree import Preemptor, QueueState


def announce(policy: Policy, queue: QueueState, cls: PendingClass) -> Iterator[Decision]:
    """Tell all of a class who were told nothing yet why they wait."""
    assert cls.verdict is not None
    unannounced, cls.unannounced = cls.unannounced, {}
    for pending in unannounced.values():
        route = pending.route
        said = (route.queue, route.priority, route.rule, cls.key)
        if pending.announced != said:
            pending.announced = said
            order = order_of(queue, pending, cls.verdict.reason)
            yield record.parked(policy, queue, pending, cls.verdict, order)


def waiting_for_victims(
    policy: Policy, queue: QueueState, preemptor: Preemptor, turn: TurnStep | None = None
) -> Decision:
    """Tell that *preemptor* waits for those who have yet to stop."""
    return record.waiting_for_preempted(
        policy,
        queue,
        preemptor.pending,
        preemptor.nomination,
        tuple(sorted(preemptor.victims)),
        turn,
    )


def order_of(queue: QueueState, pending: Pending, reason: Reason) -> OrderStep:
    """Return the place in the line of *queue* of a workload that waits for *reason*."""
    outside = len(queue.preemptors)
    position = None if reason in CANNOT_RUN else queue.line.position(pending)
    cannot_run = queue.line.cannot_run()
    first = queue.first() if queue.line.is_strict else None
    return OrderStep(
        position=None if position is None else position + outside,
        pending=len(queue.line) - cannot_run + outside,
        alike=len(queue.line.classes[pending.class_key]),
        strict=queue.line.is_strict,
        blocked_by=first.workload.id if first is not None and first is not pending else None,
        cannot_run=cannot_run,
    )


def as_of_now(verdict: Verdict | None, found: Report) -> Verdict:
    """Return what is to be said of a class now: the numbers of now, and the turn it last had."""
    reason = found.pending_reason
    if reason in (Reason.BEHIND_OTHERS, Reason.WAITING_FOR_PREEMPTED):
        # It could start, or make others stop, and had no turn in which it did.
        reason = Reason.BEHIND_OTHERS
        before = verdict.turn if verdict is not None else None
        return Verdict(reason, found.usage, found, found.turn or before)
    return Verdict(reason, found.usage, found)
