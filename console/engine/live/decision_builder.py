"""Decision builder: makes every decision, together with its trace."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

from console.engine.disciplines.quota.spec import QueueSpec, Undeclared, spec_of
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
from console.engine.model.decision import Decision, Outcome
from console.engine.model.nomination import Nomination, Report
from console.engine.model.policy import Policy, StopPolicy
from console.engine.model.reasons import Reason
from console.engine.model.trace import (
    FlavorTried,
    FlavorVerdict,
    GroupStep,
    LocalQueueStep,
    OrderStep,
    OutcomeStep,
    PodSetStep,
    PreemptedStep,
    QueueStep,
    Trace,
    TurnStep,
)
from console.engine.model.unsupported import unsupported_for
from console.engine.model.workload import Workload
from console.engine.pending.pending_class import Pending, PendingClass, Verdict, preemptor_key
from console.engine.routing.flavor_matching import Obstacles
from console.engine.routing.reasons import NO_FLAVOR_MATCHED, NO_RULES
from console.engine.routing.route_result import RouteResult
from console.engine.routing.router import Route


def admitted(
    policy: Policy, running: Running, nomination: Nomination | None, by_discipline: Reason
) -> Decision:
    """Return the decision that *running* was admitted; as of `admission_reason`."""
    route = running.route or Route()
    reason = admission_reason(policy, running, by_discipline)
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
        facts=partial(_trace, policy, running.workload, route, outcome, nomination),
    )


def rejected(policy: Policy, pending: Pending, reason: Reason) -> Decision:
    """Return the decision that no rule or no flavor accepts a workload."""
    route = pending.route
    outcome = OutcomeStep(outcome=Outcome.REJECTED, reason=reason)
    groups = (
        _unmatched(spec_of(policy).queues[route.queue], route) if route.queue is not None else ()
    )
    return _of_pending(policy, pending, outcome, groups=groups)


def stranded(policy: Policy, pending: Pending) -> Decision:
    """Return the decision that a workload is pending outside every queue."""
    assert pending.route.problem is not None
    outcome = OutcomeStep(outcome=Outcome.PENDING, reason=pending.route.problem)
    # Such a workload has no class; the problem as its name lets a later problem be announced.
    return _of_pending(policy, pending, outcome, pending_class=pending.route.problem)


def inadmissible(
    policy: Policy, queue: AnyQueue, pending: Pending, verdict: Verdict, order: OrderStep
) -> Decision:
    """Return the decision that a workload is pending with its class."""
    return _of_pending(
        policy,
        pending,
        OutcomeStep(outcome=Outcome.PENDING, reason=verdict.reason),
        verdict.nomination,
        pending_class=pending.class_key,
        order=order,
        queue=_queue_step(policy, spec_of(policy).queues[queue.name], queue),
        turn=verdict.turn,
    )


def route_trace(route_result: RouteResult) -> Trace:
    """Return the facts that led a workload to *route_result*, as far as routing goes."""
    outcome = OutcomeStep(
        outcome=route_result.outcome if route_result.queue is None else Outcome.PENDING,
        reason=route_result.reason or NOT_EVALUATED,
    )
    policy, route = route_result.policy, route_result.route
    groups: tuple[GroupStep, ...] = ()
    if route_result.reason is NO_FLAVOR_MATCHED and route.queue is not None:
        groups = _unmatched(spec_of(policy).queues[route.queue], route)
    return _trace(policy, route_result.workload, route, outcome, groups=groups)


def waiting_for_preempted(
    policy: Policy,
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
    return _of_pending(
        policy,
        pending,
        OutcomeStep(outcome=Outcome.PENDING, reason=reason, victims=victims),
        nomination,
        pending_class=preemptor_key(pending.workload.id),
        queue=_queue_step(policy, spec_of(policy).queues[queue.name], queue),
        turn=turn,
    )


def preempted(policy: Policy, target: Running, preemptor: Pending, queue: AnyQueue) -> Decision:
    """Return the decision that *target* is evicted for *preemptor*, which is pending in *queue*."""
    assert target.reason is not None
    step = preempted_step(target, preemptor.workload, preemptor.priority, queue)
    return _of_running(
        policy,
        target,
        Outcome.PREEMPTED,
        target.reason,
        preemptor=preemptor.workload.id,
        preempted=step,
    )


def preempted_step(
    target: Running, preemptor: Workload, priority: int, queue: AnyQueue
) -> PreemptedStep:
    """Return why *target* is evicted for *preemptor*, which requests quota in *queue*."""
    settings = queue.policy
    assert settings is not None
    assert target.reason is not None
    rules = settings.preemption
    right = target.reason.right
    rule = right.rule(rules) if right is not None else rules.within_queue
    return PreemptedStep(
        preemptor=preemptor.id,
        preemptor_priority=priority,
        preemptor_requests=preemptor.total(),
        rule=rule.value,
        queue=queue.name,
        path=queue.account.path,
        own_path=queue.tree.path_of(target.queue),
        origin=rules.origin or settings.origin,
    )


def drained(policy: Policy, running: Running, local_queue: LocalQueueStep | None) -> Decision:
    """
    Return the decision that *running* is evicted because its queue is stopped and drained.

    *local_queue* is given when the local queue is the one that is stopped.
    """
    # The route that admitted it belongs to another policy.
    route = Route(queue=running.queue, priority=running.priority, local_queue=local_queue)
    return _of_running(policy, running, Outcome.PREEMPTED, DRAINED, route=route)


def withdrawn(policy: Policy, running: Running) -> Decision:
    """Return the decision that *running* is evicted because its submitter withdrew it."""
    return _of_running(policy, running, Outcome.WITHDRAWN, WITHDRAWN_WHILE_RUNNING)


def trace_running(
    policy: Policy, running: Running, preempted: PreemptedStep | None, by_discipline: Reason
) -> Trace:
    """
    Return why a running workload holds its quota, or why and for which one it is evicted.

    *by_discipline* as of `admission_reason`.
    """
    if running.evicting:
        reason = running.reason or PREEMPTED_IN_QUEUE
        return _of_running(policy, running, Outcome.PREEMPTED, reason, preempted=preempted).trace
    reason = admission_reason(policy, running, by_discipline)
    return _of_running(policy, running, Outcome.ADMITTED, reason).trace


def admission_reason(policy: Policy, running: Running, by_discipline: Reason) -> Reason:
    """Return why a workload runs: *by_discipline* in a queue with quota."""
    if running.queue is None:
        return NO_RULES
    queue = spec_of(policy).queues.get(running.queue)
    return PASSTHROUGH if queue and queue.is_passthrough else by_discipline


def _of_running(
    policy: Policy,
    running: Running,
    outcome: Outcome,
    reason: Reason,
    *,
    preemptor: str | None = None,
    preempted: PreemptedStep | None = None,
    route: Route | None = None,
) -> Decision:
    route = route or running.route or Route(queue=running.queue, priority=running.priority)
    step = OutcomeStep(outcome=outcome, reason=reason, assignment=running.assignment)
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
        facts=partial(_trace, policy, running.workload, route, step, preempted=preempted),
    )


def _of_pending(
    policy: Policy,
    pending: Pending,
    outcome: OutcomeStep,
    nomination: Nomination | None = None,
    *,
    pending_class: str | None = None,
    groups: tuple[GroupStep, ...] | None = None,
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
            _trace,
            policy,
            pending.workload,
            route,
            outcome,
            nomination,
            groups=groups,
            obstacles=pending.obstacles,
            order=order,
            queue=queue,
            turn=turn,
        ),
    )


def _trace(
    policy: Policy,
    workload: Workload,
    route: Route,
    outcome: OutcomeStep,
    nomination: Nomination | None = None,
    *,
    groups: tuple[GroupStep, ...] | None = None,
    obstacles: tuple[Obstacles, ...] = (),
    order: OrderStep | None = None,
    queue: QueueStep | None = None,
    preempted: PreemptedStep | None = None,
    turn: TurnStep | None = None,
    judged: bool = True,
) -> Trace:
    """Record the facts of a decision; they must not change after it."""
    settings = spec_of(policy).queues.get(route.queue) if route.queue is not None else None
    requests = workload.total()
    blocks = spec_of(policy).settings.undeclared is Undeclared.BLOCK
    if queue is None and settings is not None:
        queue = _queue_step(policy, settings)
    if groups is None:
        groups = nomination.groups if nomination is not None else ()
        if settings is not None and obstacles:
            groups = _with_own_obstacles(settings, workload, obstacles, groups)
    return Trace(
        workload=workload.id,
        labels=workload.labels,
        namespace=workload.namespace,
        requests=requests,
        requested_priority=workload.priority,
        pod_sets=_pod_sets(workload, _counts(outcome, nomination)),
        rules=route.rules if judged else (),
        local_queue=route.local_queue,
        priorities=route.priorities if judged else (),
        queue=queue,
        groups=groups,
        uncovered=_uncovered(settings, requests) if settings is not None and not blocks else (),
        undeclared=nomination.undeclared if nomination is not None else None,
        preemption=nomination.preemption if nomination is not None else None,
        preempted=preempted,
        turn=turn,
        order=order,
        unsupported=unsupported_for(policy, workload, route.queue, groups, outcome),
        outcome=outcome,
    )


def _queue_step(policy: Policy, settings: QueueSpec, queue: AnyQueue | None = None) -> QueueStep:
    return QueueStep(
        name=settings.name,
        passthrough=settings.is_passthrough,
        held=queue is not None and queue.held,
        stopped=settings.stop is not StopPolicy.NONE,
        missing_flavor=queue.missing_reference if queue is not None else None,
        path=_path(policy, settings),
        origin=settings.origin,
    )


def _path(policy: Policy, queue: QueueSpec) -> tuple[str, ...]:
    """Return the cohorts above *queue*, nearest first."""
    path, above = [], queue.parent
    while above is not None:
        path.append(above)
        above = spec_of(policy).cohorts[above].parent
    return tuple(path)


def _counts(outcome: OutcomeStep, nomination: Nomination | None) -> Mapping[str, int]:
    """Return how many pods of each pod set start, or would start, where that is known."""
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


def _fewer(started: int | None, asked: int) -> int | None:
    return started if started is not None and started < asked else None


def _uncovered(queue: QueueSpec, requests: dict[str, int]) -> tuple[str, ...]:
    if queue.is_passthrough:
        return ()
    covered = {resource for group in queue.groups for resource in group.resources}
    return tuple(sorted(requests.keys() - covered))


def _with_own_obstacles(
    queue: QueueSpec,
    workload: Workload,
    obstacles: tuple[Obstacles, ...],
    groups: tuple[GroupStep, ...],
) -> tuple[GroupStep, ...]:
    """Return the flavors tried for the head of a class, with the workload's own obstacles."""
    at = {group.resources: index for index, group in enumerate(queue.groups)}
    names = [each.name for each in workload.pod_sets]

    def own(step: GroupStep, tried: FlavorTried, index: int) -> FlavorTried:
        if tried.failed is None and tried.taint is None:
            return tried
        members = step.pod_sets or names
        for name, own_obstacles in zip(names, obstacles, strict=True):
            obstacle = own_obstacles[at[step.resources]][index]
            if name in members and obstacle is not None:
                return replace(
                    tried, verdict=obstacle.verdict, failed=obstacle.failed, taint=obstacle.taint
                )
        return tried

    return tuple(
        replace(
            step,
            flavors=tuple(own(step, tried, index) for index, tried in enumerate(step.flavors)),
        )
        for step in groups
    )


def _unmatched(queue: QueueSpec, route: Route) -> tuple[GroupStep, ...]:
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


def announce(policy: Policy, queue: AnyQueue, cls: PendingClass) -> Iterator[Decision]:
    """Yield the pending decision for every unannounced member of a class."""
    assert cls.verdict is not None
    unannounced, cls.unannounced = cls.unannounced, {}
    for pending in unannounced.values():
        route = pending.route
        said = (route.queue, route.priority, route.rule, cls.key)
        if pending.announced != said:
            pending.announced = said
            order = order_of(queue, pending, cls.verdict.reason)
            yield inadmissible(policy, queue, pending, cls.verdict, order)


def waiting_for_victims(
    policy: Policy, queue: AnyQueue, preemptor: Preemptor, turn: TurnStep | None = None
) -> Decision:
    """Return the decision that *preemptor* waits for its victims that have yet to stop."""
    return waiting_for_preempted(
        policy,
        queue,
        preemptor.pending,
        preemptor.nomination,
        tuple(sorted(preemptor.victims)),
        turn,
    )


def order_of(queue: AnyQueue, pending: Pending, reason: Reason) -> OrderStep:
    """Return the place in *queue* of a workload that is pending for *reason*."""
    outside = len(queue.preemptors)
    position = None if reason.cannot_run else queue.pending.position(pending)
    cannot_run = queue.pending.cannot_run()
    first = queue.first() if queue.pending.is_strict else None
    return OrderStep(
        position=None if position is None else position + outside,
        pending=len(queue.pending) - cannot_run + outside,
        alike=len(queue.pending.classes[pending.class_key]),
        strict=queue.pending.is_strict,
        blocked_by=first.workload.id if first is not None and first is not pending else None,
        cannot_run=cannot_run,
    )


def as_of_now(verdict: Verdict | None, found: Report) -> Verdict:
    """Return the verdict on a class as of now: current amounts, and the last turn it had."""
    reason = found.pending_reason
    if reason in (BEHIND_OTHERS, WAITING_FOR_PREEMPTED):
        # It could start or preempt, and has not yet had a turn to do so.
        reason = BEHIND_OTHERS
        before = verdict.turn if verdict is not None else None
        return Verdict(reason, found.usage, found, found.turn or before)
    return Verdict(reason, found.usage, found)
