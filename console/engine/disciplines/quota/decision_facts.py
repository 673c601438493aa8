"""The trace of one decision: the steps of its queue and preemption, and unsupported settings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from console.engine.disciplines.quota.flavor_matching import FlavorEligibility
from console.engine.disciplines.quota.nominate import QuotaNomination
from console.engine.disciplines.quota.report import Report
from console.engine.disciplines.quota.spec import QueueSpec, Undeclared, spec_of
from console.engine.disciplines.quota.trace import (
    NO_FACTS,
    FlavorTried,
    GroupStep,
    QuotaFacts,
)
from console.engine.live.live_tree import AnyQueue
from console.engine.live.running import Running
from console.engine.model.common_reasons import NO_FLAVOR_MATCHED
from console.engine.model.nomination import Nomination
from console.engine.model.obstacles import Obstacles
from console.engine.model.policy import Policy, StopPolicy
from console.engine.model.route import Route
from console.engine.model.trace import OutcomeStep, PreemptedStep, QueueStep
from console.engine.model.trace_sections import TraceSection
from console.engine.model.unsupported_settings import UnsupportedSetting
from console.engine.model.workload import Workload


def queue_step(policy: Policy, name: str, queue: AnyQueue | None) -> QueueStep | None:
    """Return the facts about queue *name* under *policy* and its live state *queue*."""
    spec = spec_of(policy)
    settings = spec.queues.get(name)
    if settings is None:
        return None
    return QueueStep(
        name=name,
        passthrough=settings.is_passthrough,
        held=queue is not None and queue.held,
        stopped=settings.stop is not StopPolicy.NONE,
        missing_flavor=queue.missing_reference if queue is not None else None,
        path=spec.path(name),
        origin=settings.origin,
    )


def preempted_step(
    target: Running, preemptor: Workload, priority: int, queue: AnyQueue
) -> PreemptedStep:
    """Return why *target* is evicted for *preemptor*, which requests quota in *queue*."""
    settings = queue.policy
    assert settings is not None
    assert target.reason is not None
    rules = settings.preemption
    grant = target.reason.preemption_grant
    rule = grant.rule(rules) if grant is not None else rules.within_queue
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


def section_of(
    policy: Policy,
    workload: Workload,
    route: Route,
    outcome: OutcomeStep,
    nomination: Nomination | None,
    obstacles: tuple[Obstacles, ...],
) -> QuotaFacts:
    """Return the quota section of the trace; *obstacles* are the workload's, not its class's."""
    spec = spec_of(policy)
    settings = spec.queues.get(route.queue) if route.queue is not None else None
    if settings is None:
        return NO_FACTS
    blocks = spec.settings.undeclared is Undeclared.BLOCK
    uncovered = () if blocks else _uncovered(settings, workload)
    if nomination is None:
        rejected = outcome.reason is NO_FLAVOR_MATCHED
        groups = FlavorEligibility(policy).excluded(workload, settings) if rejected else ()
        return QuotaFacts(groups=groups, uncovered=uncovered)
    assert isinstance(nomination, (QuotaNomination, Report))
    groups = nomination.groups
    if obstacles:
        groups = _with_own_obstacles(settings, workload, obstacles, groups)
    return QuotaFacts(
        groups=groups,
        uncovered=uncovered,
        undeclared=nomination.undeclared,
        preemption=nomination.preemption,
    )


def unsupported(
    policy: Policy, queue: str | None, outcome: OutcomeStep, section: TraceSection
) -> Iterator[UnsupportedSetting]:
    """Yield the unsupported settings of *queue* and of the assigned or tried flavors."""
    spec = spec_of(policy)
    settings = spec.queues.get(queue) if queue is not None else None
    if settings is not None:
        yield from settings.unsupported
    for name in dict.fromkeys(_flavors(section, outcome)):
        yield from spec.unsupported_of(name)


def _uncovered(queue: QueueSpec, workload: Workload) -> tuple[str, ...]:
    if queue.is_passthrough:
        return ()
    pod_sets = workload.pod_sets
    requested = {name for each in pod_sets for name, amount in each.requests.items() if amount}
    for group in queue.groups:
        requested.difference_update(group.resources)
    return tuple(sorted(requested))


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


def _flavors(section: TraceSection, outcome: OutcomeStep) -> Iterator[str]:
    assert isinstance(section, QuotaFacts)
    if outcome.assignment:
        for each in outcome.assignment:
            yield from each.flavors.values()
        return
    for group in section.groups:
        yield from (tried.flavor for tried in group.flavors)
