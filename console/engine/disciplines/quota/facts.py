"""Trace facts of a nomination: the steps about flavors and the search for victims."""

from __future__ import annotations

from console.engine.disciplines.quota.flavors import AssignmentResult, ExaminedFlavor, Walk
from console.engine.disciplines.quota.ledger import NO_QUOTA, Node
from console.engine.disciplines.quota.modes import Check, Mode, NoFit
from console.engine.disciplines.quota.pools import lending_cohort
from console.engine.disciplines.quota.spec import (
    FairStrategy,
    FlavorQuotas,
    PreemptionRule,
    QueueSpec,
)
from console.engine.disciplines.quota.trace import (
    Candidate,
    CandidateVerdict,
    FlavorTried,
    GroupStep,
    PreemptionStep,
    PreemptionVerdict,
    QuotaCheck,
)
from console.engine.live.live_tree import Target
from console.engine.model.amounts import UNLIMITED, Amount
from console.engine.model.trace import FlavorVerdict

_VERDICTS = {
    Mode.FIT: FlavorVerdict.FITS,
    Mode.RECLAIM: FlavorVerdict.RECLAIM,
    Mode.PREEMPT: FlavorVerdict.PREEMPT,
    Mode.NO_CANDIDATES: FlavorVerdict.NO_CANDIDATES,
}


def group_steps(result: AssignmentResult, node: Node) -> tuple[GroupStep, ...]:
    """
    Return the walks of *result* with every flavor of each group, examined or not.

    *node* is the queue's node; only its constant attributes are read.
    """
    return tuple(_group_step(walk, node) for walk in result.walks)


def _group_step(walk: Walk, node: Node) -> GroupStep:
    tried = [
        FlavorTried(flavor=e.flavor, verdict=FlavorVerdict.PASSED_BEFORE, origin=e.origin)
        for e in walk.group.flavors[: walk.start]
    ]
    tried += [_flavor(each, node) for each in walk.examined]
    tried += [
        FlavorTried(flavor=e.flavor, verdict=FlavorVerdict.NOT_REACHED, origin=e.origin)
        for e in walk.group.flavors[len(tried) :]
    ]
    several = len(walk.pod_sets) > 1 or walk.pod_sets[0].name != "main"
    return GroupStep(
        resources=walk.group.resources,
        pod_sets=tuple(each.name for each in walk.pod_sets) if several else (),
        flavors=tuple(tried),
        chosen=walk.best.entry.flavor if walk.best is not None else None,
        origin=walk.group.origin,
    )


def _flavor(examined: ExaminedFlavor, node: Node) -> FlavorTried:
    entry, obstacle = examined.entry, examined.obstacle
    if examined.not_nominated:
        verdict = FlavorVerdict.NOT_NOMINATED
    elif obstacle is not None:
        return FlavorTried(
            flavor=entry.flavor,
            verdict=obstacle.verdict,
            failed=obstacle.failed,
            taint=obstacle.taint,
            origin=entry.origin,
        )
    else:
        checks = tuple(_check(entry, check, node) for check in examined.checks)
        if examined.mode is Mode.NO_FIT:
            verdict = (
                FlavorVerdict.EXCEEDS_MAX
                if any(check.no_fit is NoFit.EXCEEDS_MAX for check in examined.checks)
                else FlavorVerdict.NO_ROOM
            )
        else:
            verdict = _VERDICTS[examined.mode]
        return FlavorTried(flavor=entry.flavor, verdict=verdict, checks=checks, origin=entry.origin)
    return FlavorTried(flavor=entry.flavor, verdict=verdict, origin=entry.origin)


def _check(entry: FlavorQuotas, check: Check, node: Node) -> QuotaCheck:
    quota = entry.quotas.get(check.key[1], NO_QUOTA)
    has_cohort = node.parent is not None
    if check.mode is Mode.NO_FIT:
        verdict = (
            FlavorVerdict.EXCEEDS_MAX
            if check.no_fit is NoFit.EXCEEDS_MAX
            else FlavorVerdict.NO_ROOM
        )
    else:
        verdict = _VERDICTS[check.mode]
    return QuotaCheck(
        resource=check.key[1],
        requested=check.requested,
        nominal=quota.nominal,
        used=check.used,
        available=check.available,
        maximum=check.potential,
        missing=_missing(check.assumed + check.requested, check.available),
        verdict=verdict,
        assumed=check.assumed,
        borrow_level=check.level,
        borrows_from=lending_cohort(node, check.level),
        borrowing_limit=quota.borrowing_limit if has_cohort else UNLIMITED,
        origin=quota.origin,
    )


def search_step(
    queue: QueueSpec,
    node: Node,
    strategies: tuple[FairStrategy, ...],
    result: AssignmentResult,
    targets: tuple[Target, ...],
) -> PreemptionStep:
    """Return the search for victims with the chosen ones; `report` lists the other candidates."""
    rules, has_cohort = queue.preemption, node.parent is not None
    if targets:
        verdict = PreemptionVerdict.FOUND
    elif result.no_fit is not None or (
        rules.within_queue is PreemptionRule.NEVER
        and (not has_cohort or rules.reclaim_within_cohort is PreemptionRule.NEVER)
    ):
        verdict = PreemptionVerdict.NOT_ALLOWED
    else:
        verdict = PreemptionVerdict.NOT_ENOUGH
    # With fair sharing, borrowWithinCohort is not used (Kueue, spec 7.5).
    shows_borrowing = has_cohort and not strategies
    return PreemptionStep(
        rule=rules.within_queue.value,
        verdict=verdict,
        reclaim=rules.reclaim_within_cohort.value if has_cohort else None,
        borrow=rules.borrow_within_cohort.value if shows_borrowing else None,
        threshold=rules.max_priority_threshold if shows_borrowing else None,
        strategies=tuple(each.value for each in strategies),
        needs=_needs(result),
        candidates=tuple(_target(queue, result, target) for target in targets),
        origin=rules.origin or queue.origin,
    )


def _needs(result: AssignmentResult) -> dict[str, int]:
    """Return the amounts that have to become free, as of the flavor assignment."""
    needs = {}
    for walk in result.walks:
        for check in walk.best.checks if walk.best is not None else ():
            if check.key in result.short:
                missing = _missing(check.assumed + check.requested, check.available)
                needs["/".join(check.key)] = missing
    return dict(sorted(needs.items()))


def _target(queue: QueueSpec, result: AssignmentResult, target: Target) -> Candidate:
    running = target.running
    return Candidate(
        workload=running.workload.id,
        priority=running.priority,
        verdict=CandidateVerdict.TARGET,
        frees={f"{f}/{r}": n for (f, r), n in running.usage.items() if (f, r) in result.short},
        queue=target.queue.name if target.queue.name != queue.name else None,
        right=str(target.reason),
    )


def _missing(requested: int, available: Amount) -> int:
    if not isinstance(available, int):
        return 0
    return max(0, requested - max(0, available))
