"""Decision builder: creates the decisions of the engine, with their traces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Protocol

from console.engine.live.live_tree import AnyQueue, Preemptor
from console.engine.live.running import Running
from console.engine.model.common_reasons import (
    BEHIND_OTHERS,
    DRAINED,
    NOT_EVALUATED,
    PASSTHROUGH,
    PREEMPTED_IN_QUEUE,
    WAITING_FOR_PREEMPTED,
    WITHDRAWN_WHILE_RUNNING,
)
from console.engine.model.decision import Decision, Outcome, Resize
from console.engine.model.nomination import Nomination, Report
from console.engine.model.obstacles import Obstacles
from console.engine.model.policy import Policy
from console.engine.model.reasons import Reason
from console.engine.model.route import Route
from console.engine.model.route_result import RouteResult
from console.engine.model.trace import (
    LocalQueueStep,
    OrderStep,
    OutcomeStep,
    PodSetStep,
    PreemptedStep,
    QueueStep,
    Trace,
    TurnStep,
)
from console.engine.model.trace_sections import TraceSection
from console.engine.model.unsupported import unsupported_for
from console.engine.model.unsupported_settings import UnsupportedSetting
from console.engine.model.workload import Workload
from console.engine.pending.pending_class import Pending, PendingClass, Verdict, preemptor_key
from console.engine.routing.reasons import NO_RULES


class TraceFacts(Protocol):
    """The part of a discipline that provides the facts of traces."""

    #: The reason of workloads that it admits into a queue with quota.
    admitted: Reason

    def queue_step(self, policy: Policy, name: str, queue: AnyQueue | None) -> QueueStep | None:
        """
        Return the facts about queue *name*, or None when *policy* does not have it.

        *queue* is its live state, given if it affects the decision.
        """

    def preempted_step(
        self,
        target: Running,
        preemptor: Workload,
        priority: int,
        queue: AnyQueue,
        nomination: Nomination | None = None,
    ) -> PreemptedStep:
        """
        Return why *target* is evicted for *preemptor*, which requests capacity in *queue*.

        *nomination* is that of the preemptor; None if it is not known any more.
        """

    def trace_sections(
        self,
        policy: Policy,
        workload: Workload,
        route: Route,
        outcome: OutcomeStep,
        nomination: Nomination | None,
        obstacles: tuple[Obstacles, ...],
    ) -> Mapping[str, TraceSection]:
        """
        Return the discipline's facts about *workload*, under the code of its section.

        All traces of its decisions have the section, by which `explain` recognizes them.
        *obstacles* belong to the workload itself; the nomination belongs to its class.
        """

    def unsupported(
        self,
        policy: Policy,
        queue: str | None,
        outcome: OutcomeStep,
        sections: Mapping[str, TraceSection],
    ) -> Iterable[UnsupportedSetting]:
        """Return the unsupported settings of *queue* and of the capacity that was tried there."""


class DecisionBuilder:
    """Creates decisions under one policy; the discipline provides the facts of traces."""

    def __init__(self, policy: Policy, discipline: TraceFacts) -> None:
        self._policy = policy
        self._discipline = discipline
        #: The facts about queues that do not depend on their live state, by name.
        self._queue_steps: dict[str, QueueStep | None] = {}

    def admitted(self, running: Running, nomination: Nomination | None) -> Decision:
        """Return the decision that *running* was admitted."""
        route = running.route or Route()
        reason = self.admission_reason(running)
        outcome = OutcomeStep(
            outcome=Outcome.ADMITTED, reason=reason, assignment=running.assignment
        )
        return Decision(
            workload=running.workload.id,
            outcome=Outcome.ADMITTED,
            reason=reason,
            queue=running.queue,
            priority=route.priority,
            rule=route.rule,
            assignment=running.assignment,
            reservation=running.reservation,
            started=running.started,
            short_since=running.short_since,
            facts=partial(self._trace, running.workload, route, outcome, nomination),
        )

    def rejected(
        self, pending: Pending, reason: Reason, nomination: Nomination | None = None
    ) -> Decision:
        """Return the decision that a workload is rejected, possibly because of *nomination*."""
        outcome = OutcomeStep(outcome=Outcome.REJECTED, reason=reason)
        return self._of_pending(pending, outcome, nomination)

    def pending_without_queue(self, pending: Pending) -> Decision:
        """Return the decision that a workload is pending outside every queue."""
        assert pending.route.problem is not None
        outcome = OutcomeStep(outcome=Outcome.PENDING, reason=pending.route.problem)
        # The workload has no class. The problem takes the place of its key, so that another
        # problem is announced later.
        return self._of_pending(pending, outcome, pending_class=pending.route.problem)

    def inadmissible(
        self, queue: AnyQueue, pending: Pending, verdict: Verdict, order: OrderStep
    ) -> Decision:
        """Return the decision that a workload is pending with its class."""
        return self._of_pending(
            pending,
            OutcomeStep(outcome=Outcome.PENDING, reason=verdict.reason),
            verdict.nomination,
            pending_class=pending.class_key,
            order=order,
            queue=self._discipline.queue_step(self._policy, queue.name, queue),
            turn=verdict.turn,
        )

    def waiting_for_preempted(
        self,
        queue: AnyQueue,
        pending: Pending,
        nomination: Nomination | None,
        victims: tuple[str, ...],
        turn: TurnStep | None,
    ) -> Decision:
        """
        Return the decision that a workload is pending until *victims* have stopped.

        In a barred queue it also waits for the barrier to end.
        """
        reason = queue.barrier or WAITING_FOR_PREEMPTED
        return self._of_pending(
            pending,
            OutcomeStep(outcome=Outcome.PENDING, reason=reason, victims=victims),
            nomination,
            pending_class=preemptor_key(pending.workload.id),
            queue=self._discipline.queue_step(self._policy, queue.name, queue),
            turn=turn,
        )

    def preempted(
        self, target: Running, preemptor: Pending, queue: AnyQueue, nomination: Nomination
    ) -> Decision:
        """Return the decision that *target* is evicted for *preemptor*, pending in *queue*."""
        assert target.reason is not None
        step = self._discipline.preempted_step(
            target, preemptor.workload, preemptor.priority, queue, nomination
        )
        return self._of_running(
            target,
            Outcome.PREEMPTED,
            target.reason,
            preemptor=preemptor.workload.id,
            preempted=step,
        )

    def evicted(self, running: Running) -> Decision:
        """Return the decision that *running* is evicted, for no other workload."""
        assert running.reason is not None
        return self._of_running(running, Outcome.PREEMPTED, running.reason)

    def drained(self, running: Running, local_queue: LocalQueueStep | None) -> Decision:
        """
        Return the decision that *running* is evicted because its queue is stopped and drained.

        *local_queue* is given when the local queue is the one that is stopped.
        """
        # The route of its admission belongs to another policy.
        route = Route(queue=running.queue, priority=running.priority, local_queue=local_queue)
        return self._of_running(running, Outcome.PREEMPTED, DRAINED, route=route)

    def resized(
        self,
        running: Running,
        nomination: Nomination | None,
        resize: Resize,
        reason: Reason,
    ) -> Decision:
        """Return the decision about pods of *running*, which has the pods of *resize* already."""
        return self._of_running(
            running, Outcome.RESIZED, reason, resize=resize, nomination=nomination
        )

    def pods_taken(
        self,
        running: Running,
        resize: Resize,
        preemptor: Pending,
        queue: AnyQueue,
        nomination: Nomination,
    ) -> Decision:
        """Return the decision that *running* loses pods to *preemptor*, pending in *queue*."""
        assert running.reason is not None
        step = self._discipline.preempted_step(
            running, preemptor.workload, preemptor.priority, queue, nomination
        )
        return self._of_running(
            running, Outcome.RESIZED, running.reason, resize=resize, preempted=step
        )

    def withdrawn(self, running: Running) -> Decision:
        """Return the decision that *running* is evicted because its submitter withdrew it."""
        return self._of_running(running, Outcome.WITHDRAWN, WITHDRAWN_WHILE_RUNNING)

    def trace_running(self, running: Running, preempted: PreemptedStep | None) -> Trace:
        """Return the trace of a running workload: of its admission, or of its eviction."""
        if running.evicting:
            reason = running.reason or PREEMPTED_IN_QUEUE
            return self._of_running(running, Outcome.PREEMPTED, reason, preempted=preempted).trace
        reason = self.admission_reason(running)
        return self._of_running(running, Outcome.ADMITTED, reason).trace

    def admission_reason(self, running: Running) -> Reason:
        """Return the reason of an admission: the discipline's, in a queue with quota."""
        if running.queue is None:
            return NO_RULES
        queue = self._policy.queue(running.queue)
        return PASSTHROUGH if queue and queue.is_passthrough else self._discipline.admitted

    def route_trace(self, route_result: RouteResult) -> Trace:
        """Return a trace with the routing of *route_result*."""
        outcome = OutcomeStep(
            outcome=route_result.outcome if route_result.queue is None else Outcome.PENDING,
            reason=route_result.reason or NOT_EVALUATED,
        )
        return self._trace(route_result.workload, route_result.route, outcome)

    def announce(self, queue: AnyQueue, cls: PendingClass) -> Iterator[Decision]:
        """Yield the pending decision for every unannounced member of a class."""
        assert cls.verdict is not None
        unannounced, cls.unannounced = cls.unannounced, {}
        for pending in unannounced.values():
            if cls.announce(pending):
                order = order_of(queue, pending, cls.verdict.reason)
                yield self.inadmissible(queue, pending, cls.verdict, order)

    def waiting_for_victims(
        self, queue: AnyQueue, preemptor: Preemptor, turn: TurnStep | None = None
    ) -> Decision:
        """Return the decision that *preemptor* waits for its remaining victims."""
        return self.waiting_for_preempted(
            queue,
            preemptor.pending,
            preemptor.nomination,
            tuple(sorted(preemptor.victims)),
            turn,
        )

    def _of_running(
        self,
        running: Running,
        outcome: Outcome,
        reason: Reason,
        *,
        preemptor: str | None = None,
        preempted: PreemptedStep | None = None,
        route: Route | None = None,
        resize: Resize | None = None,
        nomination: Nomination | None = None,
    ) -> Decision:
        route = route or running.route or Route(queue=running.queue, priority=running.priority)
        step = OutcomeStep(
            outcome=outcome, reason=reason, assignment=running.assignment, resize=resize
        )
        return Decision(
            workload=running.workload.id,
            outcome=outcome,
            reason=reason,
            queue=running.queue,
            priority=running.priority,
            rule=route.rule,
            assignment=running.assignment,
            preemptor=preemptor,
            stopped_for=running.stopped_for,
            inactive=running.workload.inactive,
            started=running.started,
            short_since=running.short_since,
            resize=resize,
            facts=partial(
                self._trace, running.workload, route, step, nomination, preempted=preempted
            ),
        )

    def _of_pending(
        self,
        pending: Pending,
        outcome: OutcomeStep,
        nomination: Nomination | None = None,
        *,
        pending_class: str | None = None,
        order: OrderStep | None = None,
        queue: QueueStep | None = None,
        turn: TurnStep | None = None,
    ) -> Decision:
        route = pending.route
        return Decision(
            workload=pending.workload.id,
            outcome=outcome.outcome,
            reason=outcome.reason,
            queue=route.queue,
            priority=route.priority,
            rule=route.rule,
            victims=outcome.victims,
            preemptor=pending.yields_to,
            pending_class=pending_class,
            facts=partial(
                self._trace,
                pending.workload,
                route,
                outcome,
                nomination,
                obstacles=pending.eligibility.obstacles,
                order=order,
                queue=queue,
                turn=turn,
            ),
        )

    def _queue_step(self, name: str) -> QueueStep | None:
        """Return the facts about queue *name* without its live state."""
        if name not in self._queue_steps:
            self._queue_steps[name] = self._discipline.queue_step(self._policy, name, None)
        return self._queue_steps[name]

    def _trace(
        self,
        workload: Workload,
        route: Route,
        outcome: OutcomeStep,
        nomination: Nomination | None = None,
        *,
        obstacles: tuple[Obstacles, ...] = (),
        order: OrderStep | None = None,
        queue: QueueStep | None = None,
        preempted: PreemptedStep | None = None,
        turn: TurnStep | None = None,
        with_rules: bool = True,
    ) -> Trace:
        """Return the trace of a decision, from arguments that must not change later."""
        policy, discipline, requests = self._policy, self._discipline, workload.total()
        if queue is None and route.queue is not None:
            queue = self._queue_step(route.queue)
        sections = discipline.trace_sections(
            policy, workload, route, outcome, nomination, obstacles
        )
        return Trace(
            workload=workload.id,
            labels=workload.labels,
            namespace=workload.namespace,
            requests=requests,
            requested_priority=workload.priority,
            pod_sets=_pod_sets(workload, _counts(outcome, nomination)),
            rules=route.rules if with_rules else (),
            local_queue=route.local_queue,
            priorities=route.priorities if with_rules else (),
            queue=queue,
            sections=sections,
            preempted=preempted,
            turn=turn,
            order=order,
            unsupported=(
                *unsupported_for(policy, workload.labels, requests),
                *discipline.unsupported(policy, route.queue, outcome, sections),
            ),
            outcome=outcome,
        )


def order_of(queue: AnyQueue, pending: Pending, reason: Reason) -> OrderStep:
    """Return the position in *queue* of a workload that is pending for *reason*."""
    outside = len(queue.preemptors)
    position = queue.pending.position(pending) if reason.has_position else None
    first = queue.first() if queue.pending.is_strict else None
    return OrderStep(
        position=None if position is None else position + outside,
        pending=len(queue.pending) - queue.pending.without_position() + outside,
        alike=len(queue.pending.classes[pending.class_key]),
        strict=queue.pending.is_strict,
        blocked_by=first.workload.id if first is not None and first is not pending else None,
        cannot_run=queue.pending.cannot_run(),
    )


def refreshed_verdict(verdict: Verdict | None, found: Report) -> Verdict:
    """Return the verdict on a class with the amounts of *found*, and with its last turn."""
    reason = found.pending_reason
    if reason in (BEHIND_OTHERS, WAITING_FOR_PREEMPTED):
        # It could start or preempt, but has had no turn yet to do so.
        reason = BEHIND_OTHERS
        before = verdict.turn if verdict is not None else None
        return Verdict(reason, found.usage, found, found.turn or before)
    return Verdict(reason, found.usage, found)


def _counts(outcome: OutcomeStep, nomination: Nomination | None) -> Mapping[str, int]:
    """Return how many pods of each pod set start, or would start, as far as known."""
    if outcome.assignment or nomination is None:
        return {each.name: each.count for each in outcome.assignment}
    return nomination.counts


def _pod_sets(workload: Workload, counts: Mapping[str, int]) -> tuple[PodSetStep, ...]:
    pod_sets = workload.pod_sets
    if len(pod_sets) == 1 and pod_sets[0].count == 1 and pod_sets[0].name == "main":
        return ()
    return tuple(
        PodSetStep(
            name=each.name,
            count=each.count,
            requests=each.requests,
            min_count=each.min_count,
            reduced_to=_fewer(counts.get(each.name), each.count),
        )
        for each in pod_sets
    )


def _fewer(started: int | None, requested: int) -> int | None:
    return started if started is not None and started < requested else None
