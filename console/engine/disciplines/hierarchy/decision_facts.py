"""Facts for traces, from nominations, placements and the config."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from console.engine.disciplines.hierarchy.eligibility import gang_total, problem_of
from console.engine.disciplines.hierarchy.inheritance import on_path, submitters
from console.engine.disciplines.hierarchy.nomination import Check, HierarchyNomination, Stage
from console.engine.disciplines.hierarchy.placement import Attempt, Verdict
from console.engine.disciplines.hierarchy.placement_route import PlacementRoute
from console.engine.disciplines.hierarchy.requests import in_thousandths, scaled
from console.engine.disciplines.hierarchy.spec import POOL, HierarchySpec, Partition
from console.engine.disciplines.hierarchy.submission import not_created
from console.engine.disciplines.hierarchy.trace import (
    NO_FACTS,
    CheckStep,
    HierarchyFacts,
    NodeStep,
    PreemptionStep,
    RuleStep,
)
from console.engine.disciplines.nested_ledger import NestedAccount
from console.engine.model.route import Route
from console.engine.model.trace import QueueUse
from console.engine.model.workload import Workload

#: The most users, and the most groups, that a fact about access names.
_MOST_NAMED: Final = 20


def facts_of_nomination(found: HierarchyNomination) -> HierarchyFacts:
    """Return what was compared for a workload in its queue."""
    preemption = found.preemption
    return HierarchyFacts(
        user=found.user,
        group=found.group,
        request=in_thousandths(found.request),
        pods=sum(found.counts.values()),
        placed=found.placed,
        refusal=None if found.refusal is None else _check(found.refusal),
        checks=tuple(map(_check, found.checks)),
        nodes=tuple(NodeStep(cause=each.cause, nodes=each.nodes) for each in found.shortages),
        preemption=None
        if preemption is None
        else PreemptionStep(
            text=preemption.text, fence=preemption.fence, candidates=preemption.candidates
        ),
        messages=found.messages,
        exceeded=found.exceeded,
    )


def facts_of_rejection(spec: HierarchySpec, queue: str, workload: Workload) -> HierarchyFacts:
    """Return why *queue* rejects a workload; nothing if it does not."""
    problem = problem_of(spec, workload, queue)
    if problem is None:
        return HierarchyFacts(user=workload.user)
    refusal = None
    if problem.resource:
        at = next(
            (
                each.name
                for each in on_path(spec, queue)
                if (each.maximum or {}).get(problem.resource) == problem.maximum
            ),
            queue,
        )
        refusal = CheckStep(
            stage=Stage.QUEUE_QUOTA,
            queue=at,
            resource=problem.resource,
            requested=_scaled(problem.resource, problem.requested),
            limit=_scaled(problem.resource, problem.maximum),
        )
    return HierarchyFacts(
        user=workload.user,
        request=in_thousandths(gang_total(workload)) if refusal is not None else {},
        pods=sum(each.minimum for each in workload.pod_sets),
        problem=problem.sentence,
        refusal=refusal,
        rejection=problem.original,
    )


def with_placement(
    facts: HierarchyFacts, spec: HierarchySpec, route: Route, workload: Workload
) -> HierarchyFacts:
    """Return *facts* with the answers of the placement rules that found *route*."""
    if not isinstance(route, PlacementRoute):
        return facts
    partition, placement, refusal = route.placed()
    rejection = facts.rejection
    if placement.queue is None:
        rejection = placement.message(workload.id)
    elif refusal is not None:
        rejection = not_created(placement.queue, workload.id, refusal)
    return replace(
        facts,
        user=facts.user or workload.user,
        rules=tuple(_rule(spec, partition, each) for each in placement.attempts),
        rejection=rejection,
    )


def facts_without_nomination(
    spec: HierarchySpec, queue: str | None, workload: Workload
) -> HierarchyFacts:
    """Return why the request is not supported; nothing without a queue of the policy."""
    if queue is None or not any(on_path(spec, queue)):
        return NO_FACTS
    return facts_of_rejection(spec, queue, workload)


def uses(
    account: NestedAccount, victim: str, nomination: HierarchyNomination
) -> tuple[QueueUse, ...]:
    """Return usage and guarantee of the queues of a preemptor and of its victim."""
    found: list[QueueUse] = []
    for resource in nomination.request:
        key = POOL, resource
        if not account.guaranteed(key) and not account.of(victim).guaranteed(key):
            continue
        for each in (account, account.of(victim)):
            guaranteed = each.guaranteed(key)
            found.append(
                QueueUse(
                    queue=each.name,
                    resource=resource,
                    used=each.used(key),
                    guaranteed=guaranteed,
                    fair_share=guaranteed,
                    priority=0,
                )
            )
    return tuple(found)


def _rule(spec: HierarchySpec, partition: Partition, attempt: Attempt) -> RuleStep:
    users: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    if attempt.verdict is Verdict.NO_ACCESS:
        _, users, groups = submitters(spec, partition.full_name(attempt.at))
    return RuleStep(
        index=attempt.index,
        kind=attempt.rule.kind,
        value=attempt.rule.value,
        verdict=attempt.verdict,
        queue=attempt.queue,
        at=attempt.at,
        users=users[:_MOST_NAMED],
        groups=groups[:_MOST_NAMED],
        parent=None if attempt.parent is None else _rule(spec, partition, attempt.parent),
    )


def _check(check: Check) -> CheckStep:
    return CheckStep(
        stage=check.stage,
        queue=check.queue,
        holder=check.holder,
        resource=check.resource,
        requested=_scaled(check.resource, check.requested),
        limit=_scaled(check.resource, check.limit),
        used=_scaled(check.resource, check.used),
    )


def _scaled(resource: str, value: int) -> int:
    """Return an amount of queues in thousandths; a number of applications as it is."""
    return scaled(resource, value) if resource else value
