"""From what a nomination found to the steps of a trace."""

from __future__ import annotations

from console.engine.amounts import Amount
from console.engine.disciplines.quota.flavors import Found, Looked, Walk
from console.engine.disciplines.quota.modes import Check, Mode, NoFit
from console.engine.ledger import NO_QUOTA
from console.engine.policy import FlavorQuotas, PreemptionRule, Queue
from console.engine.trace import (
    Candidate,
    CandidateVerdict,
    FlavorTried,
    FlavorVerdict,
    GroupStep,
    PreemptionStep,
    PreemptionVerdict,
    QuotaCheck,
)
from console.engine.tree import Target

_VERDICTS = {
    Mode.FIT: FlavorVerdict.FITS,
    Mode.RECLAIM: FlavorVerdict.RECLAIM,
    Mode.PREEMPT: FlavorVerdict.PREEMPT,
    Mode.NO_CANDIDATES: FlavorVerdict.NO_CANDIDATES,
}


def group_steps(found: Found) -> tuple[GroupStep, ...]:
    """Return the walks of *found* with every flavor of each group, looked at or not."""
    return tuple(_group_step(walk) for walk in found.walks)


def _group_step(walk: Walk) -> GroupStep:
    tried = [
        FlavorTried(flavor=e.flavor, verdict=FlavorVerdict.PASSED_BEFORE, origin=e.origin)
        for e in walk.group.flavors[: walk.start]
    ]
    tried += [_flavor(each) for each in walk.looked]
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


def _flavor(looked: Looked) -> FlavorTried:
    entry, obstacle = looked.entry, looked.obstacle
    if looked.barred:
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
        checks = tuple(_check(entry, check) for check in looked.checks)
        if looked.mode is Mode.NO_FIT:
            verdict = (
                FlavorVerdict.EXCEEDS_MAX
                if any(check.no_fit is NoFit.EXCEEDS_MAX for check in looked.checks)
                else FlavorVerdict.NO_ROOM
            )
        else:
            verdict = _VERDICTS[looked.mode]
        return FlavorTried(flavor=entry.flavor, verdict=verdict, checks=checks, origin=entry.origin)
    return FlavorTried(flavor=entry.flavor, verdict=verdict, origin=entry.origin)


def _check(entry: FlavorQuotas, check: Check) -> QuotaCheck:
    quota = entry.quotas.get(check.key[1], NO_QUOTA)
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
        promised=0,
        available=check.available,
        maximum=check.potential,
        missing=_missing(check.assumed + check.requested, check.available),
        verdict=verdict,
        assumed=check.assumed,
        borrow_level=check.level,
        origin=quota.origin,
    )


def search_step(
    queue: Queue, has_cohort: bool, found: Found, targets: tuple[Target, ...]
) -> PreemptionStep:
    """Return the search for workloads to stop with those it chose; `search` lists all others."""
    rules = queue.preemption
    if targets:
        verdict = PreemptionVerdict.FOUND
    elif rules.within_queue is PreemptionRule.NEVER and (
        not has_cohort or rules.reclaim_within_cohort is PreemptionRule.NEVER
    ):
        verdict = PreemptionVerdict.NOT_ALLOWED
    else:
        verdict = PreemptionVerdict.NOT_ENOUGH
    return PreemptionStep(
        rule=rules.within_queue.value,
        verdict=verdict,
        reclaim=rules.reclaim_within_cohort.value if has_cohort else None,
        borrow=rules.borrow_within_cohort.value if has_cohort else None,
        threshold=rules.max_priority_threshold,
        needs=_needs(found),
        candidates=tuple(_target(queue, found, target) for target in targets),
        origin=rules.origin or queue.origin,
    )


def _needs(found: Found) -> dict[str, int]:
    """Return what has to become free, as it was when the flavors were looked at."""
    needs = {}
    for walk in found.walks:
        for check in walk.best.checks if walk.best is not None else ():
            if check.key in found.short:
                missing = _missing(check.assumed + check.requested, check.available)
                needs["/".join(check.key)] = missing
    return dict(sorted(needs.items()))


def _target(queue: Queue, found: Found, target: Target) -> Candidate:
    running = target.running
    return Candidate(
        workload=running.workload.id,
        priority=running.priority,
        verdict=CandidateVerdict.TARGET,
        frees={f"{f}/{r}": n for (f, r), n in running.usage.items() if (f, r) in found.short},
        queue=target.queue.name if target.queue.name != queue.name else None,
        right=target.reason.value,
    )


def _missing(requested: int, available: Amount) -> int:
    if not isinstance(available, int):
        return 0
    return max(0, requested - max(0, available))
