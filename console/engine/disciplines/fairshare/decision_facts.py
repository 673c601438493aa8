"""Facts for traces, from nominations and from the standings of queues."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from console.engine.disciplines.fairshare.eligibility import problem_of
from console.engine.disciplines.fairshare.gates import Gate, Refusal
from console.engine.disciplines.fairshare.nomination import (
    Attempt,
    FairshareNomination,
    VictimVerdict,
)
from console.engine.disciplines.fairshare.reclaim import ReclaimRefusal, Step
from console.engine.disciplines.fairshare.requests import need_of
from console.engine.disciplines.fairshare.resources import RESOURCES, Amounts
from console.engine.disciplines.fairshare.spec import FairshareSpec, QueueRule
from console.engine.disciplines.fairshare.standing import Standing
from console.engine.disciplines.fairshare.trace import (
    NO_FACTS,
    FairshareFacts,
    GateStep,
    NodeStep,
    OrderRule,
    ReclaimStep,
    SearchStep,
    VictimStep,
)
from console.engine.disciplines.fairshare.workload_order import is_preemptible
from console.engine.model.trace import QueueUse
from console.engine.model.workload import Workload


def facts_of_nomination(
    spec: FairshareSpec,
    queue: str,
    workload: Workload,
    priority: int,
    found: FairshareNomination,
) -> FairshareFacts:
    """Return what was compared for *workload* in *queue*."""
    may_be_preempted = is_preemptible(priority, workload.is_preemptible)
    request = {
        name: amount for name, amount in zip(RESOURCES, found.request, strict=True) if amount
    }
    refused = _gate(spec, found.refusal) if found.refusal is not None else None
    compared = gates(spec, queue, found.standings, found.request, with_quota=not may_be_preempted)
    return FairshareFacts(
        request=request,
        pods=sum(found.counts.values()),
        placed=found.placed,
        cannot_be_preempted=not may_be_preempted,
        lacks_parent=_lacks_parent(spec, queue),
        title=_title(spec, queue),
        refusal=refused,
        # Workloads may have started between the beginning of the cycle and the refusal.
        gates=tuple(
            refused if refused is not None and _is_same(each, refused) else each
            for each in compared
        ),
        nodes=tuple(NodeStep(cause=each.cause, nodes=each.nodes) for each in found.shortages),
        order=tuple(
            OrderRule(
                queue=each.queue,
                sibling=each.sibling,
                is_first=each.comparison.is_left_first,
                rule=each.comparison.rule,
            )
            for each in found.rivals
        ),
        searches=tuple(_search(spec, found, each) for each in found.attempts),
        exceeded=found.exceeded,
    )


def facts_without_nomination(
    spec: FairshareSpec, queue: str | None, workload: Workload
) -> FairshareFacts:
    """Return why the request is not supported, or which parent of the queue is missing."""
    if queue is None or queue not in spec.queues:
        return NO_FACTS
    return FairshareFacts(
        problem=problem_of(workload),
        missing_parent=spec.missing_reference(queue) or "",
        lacks_parent=_lacks_parent(spec, queue),
        title=_title(spec, queue),
    )


def gates(
    spec: FairshareSpec,
    queue: str,
    standings: Mapping[str, Standing],
    request: Amounts,
    *,
    with_quota: bool,
) -> Iterator[GateStep]:
    """Yield the limits on the path of *queue*, then its quotas, for all requested resources."""
    path = [standings[name] for name in spec.tree.path(queue) if name in standings]
    for gate in Gate if with_quota else (Gate.LIMIT,):
        for standing in path:
            is_limit = gate is Gate.LIMIT
            bounds = standing.limit if is_limit else standing.quota
            used = standing.used if is_limit else standing.used_non_preemptible
            for place, amount in enumerate(request):
                if amount:
                    yield GateStep(
                        gate=gate,
                        queue=standing.name,
                        title=_title(spec, standing.name),
                        resource=RESOURCES[place],
                        bound=bounds[place],
                        used=used[place],
                        requested=amount,
                    )


def uses(
    spec: FairshareSpec,
    queue: str,
    victim: str,
    request: Amounts,
    standings: Mapping[str, Standing],
) -> tuple[QueueUse, ...]:
    """
    Return what the queues of a preemptor and its victim used, in the resources that matter.

    Two queues with different parents are represented by these.
    """
    names: Sequence[str] = (queue, victim)
    parents = [spec.tree.queues[each].parent for each in names]
    if parents[0] != parents[1]:
        names = [parent or name for parent, name in zip(parents, names, strict=True)]
    found = [standings[name] for name in dict.fromkeys(names) if name in standings]
    places = [
        place
        for place in range(len(RESOURCES))
        if request[place] or any(each.used[place] for each in found)
    ]
    return tuple(
        QueueUse(
            queue=each.name,
            resource=RESOURCES[place],
            used=each.used[place],
            guaranteed=each.quota[place],
            fair_share=each.fair_share[place],
            priority=each.priority,
        )
        for each in found
        for place in places
    )


def request_of(workload: Workload) -> dict[str, int]:
    """Return what queues count for all pods of *workload*, without parts stated as memory."""
    total = dict.fromkeys(RESOURCES, 0)
    for each in workload.pod_sets:
        for name, amount in zip(RESOURCES, need_of(each.requests).amounts(0), strict=True):
            total[name] += amount * each.count
    return {name: amount for name, amount in total.items() if amount}


def _is_same(one: GateStep, other: GateStep) -> bool:
    return (one.gate, one.queue, one.resource) == (other.gate, other.queue, other.resource)


def _search(spec: FairshareSpec, found: FairshareNomination, attempt: Attempt) -> SearchStep:
    refusal = attempt.refusal
    refused = _reclaim(refusal) if isinstance(refusal, ReclaimRefusal) else None
    if refused is not None and refused.step is Step.FAIR_SHARE:
        refused = _with_numbers(refused, found)
    return SearchStep(
        search=attempt.search,
        refusal=refused,
        gate=_gate(spec, refusal) if isinstance(refusal, Refusal) else None,
        candidates=attempt.candidates,
        victims=tuple(map(_victim, attempt.verdicts)),
    )


def _with_numbers(step: ReclaimStep, found: FairshareNomination) -> ReclaimStep:
    """Return *step* with the first resource of which the queue would exceed its fair share."""
    standing = found.standings.get(step.queue)
    if standing is not None:
        for place, requested in enumerate(found.request):
            used, bound = standing.used[place], standing.fair_share[place]
            if used + requested > bound:
                return replace(
                    step,
                    resource=RESOURCES[place],
                    used=used,
                    bound=bound,
                    requested=requested,
                )
    return step


def _victim(verdict: VictimVerdict) -> VictimStep:
    return VictimStep(
        workload=verdict.workload,
        queue=verdict.queue,
        hurdle=verdict.hurdle,
        refusal=_reclaim(verdict.refusal) if verdict.refusal is not None else None,
    )


def _reclaim(refusal: ReclaimRefusal) -> ReclaimStep:
    return ReclaimStep(
        step=refusal.step,
        queue=refusal.queue,
        victim=refusal.victim or "",
        resource=refusal.resource or "",
    )


def _gate(spec: FairshareSpec, refusal: Refusal) -> GateStep:
    return GateStep(
        gate=refusal.gate,
        queue=refusal.queue,
        title=_title(spec, refusal.queue),
        resource=refusal.resource,
        bound=refusal.bound,
        used=refusal.used,
        requested=refusal.requested,
    )


def _title(spec: FairshareSpec, queue: str) -> str:
    found = spec.queues.get(queue)
    return (found.display_name if found is not None else "") or queue


def _lacks_parent(spec: FairshareSpec, queue: str) -> bool:
    is_needed = spec.settings.queue_rule is QueueRule.HAS_PARENT
    return is_needed and queue in spec.queues and spec.queues[queue].parent is None
