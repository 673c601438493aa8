"""Flavor assignments of the quota discipline, in the terms of the conformance cases."""

from __future__ import annotations

from collections.abc import Iterator

from console.dialects.kueue.conformance.answers import (
    Attempt,
    Condition,
    FlavorReason,
    Mode,
    ReasonCode,
)
from console.engine.disciplines.quota.flavors import AssignmentResult, ExaminedFlavor, Walk
from console.engine.disciplines.quota.modes import Check, NoFit
from console.engine.disciplines.quota.modes import Mode as GranularMode
from console.engine.model.amounts import Amount, Unlimited
from console.engine.model.nodes import Taint, TaintEffect
from console.engine.model.obstacles import Obstacle
from console.engine.model.trace import FlavorVerdict

_MODES = {
    GranularMode.NO_FIT: Mode.NO_FIT,
    GranularMode.NO_CANDIDATES: Mode.NO_CANDIDATES,
    GranularMode.PREEMPT: Mode.PREEMPT,
    GranularMode.RECLAIM: Mode.RECLAIM,
    GranularMode.FIT: Mode.FIT,
}
_NO_FIT = {
    NoFit.WAITING_FOR_QUOTA: Condition.WAITING_FOR_QUOTA,
    NoFit.EXCEEDS_MAX: Condition.EXCEEDS_MAX_QUOTA,
    NoFit.NO_MATCHING_FLAVOR: Condition.NO_MATCHING_FLAVOR,
}


def assignment_mode(mode: GranularMode) -> Mode:
    """Return the mode of a whole assignment: every kind of preemption is PREEMPT."""
    if mode in (GranularMode.NO_FIT, GranularMode.FIT):
        return _MODES[mode]
    return Mode.PREEMPT


def no_fit_condition(no_fit: NoFit | None) -> Condition | None:
    """Return the term for the reason why nothing fits."""
    return _NO_FIT[no_fit] if no_fit is not None else None


def reasons_by_pod_set(found: AssignmentResult) -> dict[str, tuple[FlavorReason, ...]]:
    """Return by pod set why no flavor fits without preemption; walks that fit have no reasons."""
    reasons: dict[str, list[FlavorReason]] = {}
    failed = {each.name for each in found.failed}
    for walk in found.walks:
        for pod_set in walk.pod_sets:
            if pod_set.name in failed and (walk.best is not None or found.undeclared):
                continue
            reasons.setdefault(pod_set.name, []).extend(_walk_reasons(walk))
    if found.undeclared is not None:
        for name in failed:
            reason = FlavorReason(code=ReasonCode.RESOURCE_NOT_COVERED, resource=found.undeclared)
            reasons[name] = [reason]
    return {name: tuple(each) for name, each in reasons.items() if each}


def attempts_of(found: AssignmentResult, pod_set: str) -> dict[str, Attempt]:
    """Return the attempts for *pod_set* by flavor, over all resource groups."""
    attempts = {}
    for walk in found.walks:
        if any(each.name == pod_set for each in walk.pod_sets):
            for looked in walk.examined:
                attempts[looked.entry.flavor] = Attempt(
                    outcome=_MODES[looked.mode], level=looked.level, why=_why(looked)
                )
    return attempts


def _why(looked: ExaminedFlavor) -> Condition | None:
    if looked.mode is not GranularMode.NO_FIT:
        return None
    words = [check.no_fit for check in looked.checks if check.no_fit is not None]
    return _NO_FIT[max(words, default=NoFit.NO_MATCHING_FLAVOR)]


def _walk_reasons(walk: Walk) -> Iterator[FlavorReason]:
    if walk.best is not None and walk.best.mode is GranularMode.FIT:
        return
    for looked in walk.examined:
        flavor = looked.entry.flavor
        if looked.not_nominated:
            for resource in looked.requested:
                yield FlavorReason(
                    code=ReasonCode.OUTSIDE_NOMINATION, flavor=flavor, resource=resource
                )
        elif looked.obstacle is not None:
            yield _obstacle(flavor, looked.obstacle)
        for check in looked.checks:
            if check.mode is not GranularMode.FIT:
                yield _check(check)


def _check(check: Check) -> FlavorReason:
    flavor, resource = check.key
    if check.no_fit is NoFit.EXCEEDS_MAX:
        return FlavorReason(
            code=ReasonCode.ABOVE_CAPACITY,
            flavor=flavor,
            resource=resource,
            assumed=check.assumed,
            requested=check.requested,
            capacity=check.potential,
        )
    return FlavorReason(
        code=ReasonCode.NOT_ENOUGH_FREE,
        flavor=flavor,
        resource=resource,
        missing=_minus(check.assumed + check.requested, check.available),
    )


def _minus(amount: int, available: Amount) -> int:
    return 0 if isinstance(available, Unlimited) else amount - available


def _obstacle(flavor: str, obstacle: Obstacle) -> FlavorReason:
    if obstacle.verdict is FlavorVerdict.FLAVOR_MISSING:
        return FlavorReason(code=ReasonCode.FLAVOR_MISSING, flavor=flavor)
    if obstacle.verdict is FlavorVerdict.TAINT_NOT_TOLERATED:
        return FlavorReason(
            code=ReasonCode.TAINT_NOT_TOLERATED, flavor=flavor, taint=_taint(obstacle.taint or "")
        )
    return FlavorReason(code=ReasonCode.LABELS_DO_NOT_MATCH, flavor=flavor)


def _taint(text: str) -> Taint:
    named, _, effect = text.rpartition(":")
    key, _, value = named.partition("=")
    return Taint(key, value, TaintEffect(effect))
