"""From what was found to a decision: every decision is made here, together with its trace."""

from __future__ import annotations

from dataclasses import replace

from console.engine.decision import Assignment, Decision, Outcome, Reason
from console.engine.disciplines import Nomination
from console.engine.pending import Pending, Verdict, promise_key
from console.engine.policy import Policy, Queue
from console.engine.routing import Route
from console.engine.running import Running
from console.engine.trace import (
    FlavorTried,
    FlavorVerdict,
    GroupStep,
    OrderStep,
    OutcomeStep,
    PreemptedStep,
    QueueStep,
    Trace,
)
from console.engine.workload import Workload


def admitted(policy: Policy, running: Running, nomination: Nomination | None) -> Decision:
    """Return the decision that *running* has just been admitted."""
    route = running.route or Route()
    reason = admission_reason(policy, running)
    outcome = OutcomeStep(outcome=Outcome.ADMITTED, reason=reason, assignment=running.assignment)
    return Decision(
        workload=running.workload.id,
        outcome=Outcome.ADMITTED,
        reason=reason,
        queue=running.queue,
        priority=route.priority,
        rule=route.rule,
        assignment=running.assignment,
        reservation=running.reservation,
        trace=_trace(policy, running.workload, route, outcome, nomination),
    )


def rejected(policy: Policy, pending: Pending, reason: Reason) -> Decision:
    """Return the decision that no rule or no flavor takes a workload."""
    route = pending.route
    outcome = OutcomeStep(outcome=Outcome.REJECTED, reason=reason, assignment={})
    groups = _unmatched(policy.queues[route.queue], route) if route.queue is not None else ()
    return Decision(
        workload=pending.workload.id,
        outcome=Outcome.REJECTED,
        reason=reason,
        queue=route.queue,
        priority=route.priority,
        rule=route.rule,
        trace=_trace(policy, pending.workload, route, outcome, groups=groups),
    )


def parked(policy: Policy, pending: Pending, verdict: Verdict, order: OrderStep) -> Decision:
    """Return the decision that a workload waits with its class."""
    route = pending.route
    assert route.queue is not None
    outcome = OutcomeStep(outcome=Outcome.PENDING, reason=verdict.reason, assignment={})
    held = verdict.reason is Reason.QUEUE_HELD
    found = verdict.nomination
    groups = _with_own_labels(policy.queues[route.queue], route, found.groups) if found else ()
    return Decision(
        workload=pending.workload.id,
        outcome=Outcome.PENDING,
        reason=verdict.reason,
        queue=route.queue,
        priority=route.priority,
        rule=route.rule,
        pending_class=pending.class_key,
        trace=_trace(
            policy, pending.workload, route, outcome, found, groups=groups, order=order, held=held
        ),
    )


def waiting_for_preempted(
    policy: Policy,
    pending: Pending,
    nomination: Nomination | None,
    assignment: Assignment,
    victims: tuple[str, ...],
    *,
    held: bool,
) -> Decision:
    """
    Return the decision that a workload starts as soon as *victims* have stopped.

    In a *held* queue it keeps the room that is made for it, and waits for the hold to end.
    """
    route = pending.route
    reason = Reason.QUEUE_HELD if held else Reason.WAITING_FOR_PREEMPTED
    outcome = OutcomeStep(
        outcome=Outcome.PENDING,
        reason=reason,
        assignment=assignment,
        victims=victims,
    )
    return Decision(
        workload=pending.workload.id,
        outcome=Outcome.PENDING,
        reason=reason,
        queue=route.queue,
        priority=route.priority,
        rule=route.rule,
        assignment=assignment,
        victims=victims,
        pending_class=promise_key(pending.workload.id),
        trace=_trace(policy, pending.workload, route, outcome, nomination, held=held),
    )


def preempted(policy: Policy, target: Running, preemptor: Pending) -> Decision:
    """Return the decision that *target* has to stop for *preemptor*."""
    queue = policy.queues[preemptor.route.queue or ""]
    assert preemptor.route.priority is not None
    step = PreemptedStep(
        preemptor=preemptor.workload.id,
        preemptor_priority=preemptor.route.priority,
        preemptor_requests=preemptor.requests,
        rule=queue.preemption.within_queue.value,
        queue=queue.name,
        origin=queue.preemption.origin or queue.origin,
    )
    outcome = OutcomeStep(
        outcome=Outcome.PREEMPTED,
        reason=Reason.PREEMPTED_IN_QUEUE,
        assignment=target.assignment,
    )
    route = target.route or Route(queue=target.queue, priority=target.priority)
    return Decision(
        workload=target.workload.id,
        outcome=Outcome.PREEMPTED,
        reason=Reason.PREEMPTED_IN_QUEUE,
        queue=target.queue,
        priority=target.priority,
        rule=route.rule,
        assignment=target.assignment,
        preemptor=preemptor.workload.id,
        trace=_trace(policy, target.workload, route, outcome, preempted=step),
    )


def withdrawn(policy: Policy, running: Running) -> Decision:
    """Return the decision that *running* has to stop because its submitter took it back."""
    route = running.route or Route(queue=running.queue, priority=running.priority)
    reason = Reason.WITHDRAWN_WHILE_RUNNING
    outcome = OutcomeStep(outcome=Outcome.WITHDRAWN, reason=reason, assignment=running.assignment)
    return Decision(
        workload=running.workload.id,
        outcome=Outcome.WITHDRAWN,
        reason=reason,
        queue=running.queue,
        priority=running.priority,
        rule=route.rule,
        assignment=running.assignment,
        trace=_trace(policy, running.workload, route, outcome),
    )


def trace_running(policy: Policy, running: Running) -> Trace:
    """Return why a running workload holds what it holds."""
    route = running.route or Route(queue=running.queue, priority=running.priority)
    outcome = OutcomeStep(
        outcome=Outcome.PREEMPTED if running.departing else Outcome.ADMITTED,
        reason=(
            Reason.PREEMPTED_IN_QUEUE if running.departing else admission_reason(policy, running)
        ),
        assignment=running.assignment,
    )
    return _trace(policy, running.workload, route, outcome)


def admission_reason(policy: Policy, running: Running) -> Reason:
    """Return by what right a workload runs."""
    if running.queue is None:
        return Reason.NO_RULES
    queue = policy.queues.get(running.queue)
    return Reason.PASSTHROUGH if queue and queue.is_passthrough else Reason.QUOTA_RESERVED


def _trace(
    policy: Policy,
    workload: Workload,
    route: Route,
    outcome: OutcomeStep,
    nomination: Nomination | None = None,
    *,
    groups: tuple[GroupStep, ...] | None = None,
    preempted: PreemptedStep | None = None,
    order: OrderStep | None = None,
    held: bool = False,
) -> Trace:
    queue = policy.queues.get(route.queue) if route.queue is not None else None
    requests = workload.total()
    return Trace(
        workload=workload.id,
        labels=workload.labels,
        requests=requests,
        requested_priority=workload.priority,
        rules=route.rules,
        priorities=route.priorities,
        queue=_queue_step(queue, held) if queue is not None else None,
        groups=groups if groups is not None else nomination.groups if nomination else (),
        uncovered=_uncovered(queue, requests) if queue is not None else (),
        preemption=nomination.preemption if nomination is not None else None,
        preempted=preempted,
        order=order,
        outcome=outcome,
    )


def _queue_step(queue: Queue, held: bool) -> QueueStep:
    return QueueStep(
        name=queue.name, passthrough=queue.is_passthrough, held=held, origin=queue.origin
    )


def _uncovered(queue: Queue, requests: dict[str, int]) -> tuple[str, ...]:
    if queue.is_passthrough:
        return ()
    covered = {resource for group in queue.groups for resource in group.resources}
    return tuple(sorted(requests.keys() - covered))


def _with_own_labels(
    queue: Queue, route: Route, groups: tuple[GroupStep, ...]
) -> tuple[GroupStep, ...]:
    """Return what the head of a class found, with the expressions that fail on one's own labels."""
    failed = {
        (group.resources, entry.flavor): expression
        for group, reasons in zip(queue.groups, route.matches, strict=True)
        for entry, expression in zip(group.flavors, reasons, strict=True)
    }
    return tuple(
        replace(
            step,
            flavors=tuple(
                replace(tried, failed=failed[step.resources, tried.flavor])
                if tried.failed is not None
                else tried
                for tried in step.flavors
            ),
        )
        for step in groups
    )


def _unmatched(queue: Queue, route: Route) -> tuple[GroupStep, ...]:
    return tuple(
        GroupStep(
            resources=group.resources,
            flavors=tuple(
                FlavorTried(
                    flavor=entry.flavor,
                    verdict=(FlavorVerdict.SELECTOR_FALSE if failed else FlavorVerdict.NOT_REACHED),
                    failed=failed,
                    origin=entry.origin,
                )
                for entry, failed in zip(group.flavors, reasons, strict=True)
            ),
            origin=group.origin,
        )
        for group, reasons in zip(queue.groups, route.matches, strict=True)
    )
