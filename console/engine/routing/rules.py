"""Routing rules: selector, queue and priority policy."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from console.engine.model.origin import Origin
from console.engine.model.selectors import EVERYTHING, Selector
from console.engine.model.trace import PriorityStep, PriorityVerdict


class OnViolation(StrEnum):
    """The treatment of a requested priority outside the rule's range."""

    REJECT = "reject"
    FORCE_UPDATE = "force_update"


@dataclass(frozen=True, slots=True, kw_only=True)
class PriorityPolicy:
    """The default priority of a rule and the range that it accepts; None: unbounded."""

    default: int | None = None
    minimum: int | None = None
    maximum: int | None = None
    on_violation: OnViolation = OnViolation.REJECT
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One routing rule: it routes matching workloads to its queue; rules are tried in order."""

    index: int
    #: Name of a queue that exists.
    queue: str
    selector: Selector = EVERYTHING
    priority: PriorityPolicy = PriorityPolicy()
    origin: Origin | None = None


def effective_priority(rule: Rule, requested: int | None) -> PriorityStep:
    """
    Return the effective priority by the rule's priority policy.

    Without a request it is the default, or else the larger of 0 and the minimum. For a request
    outside the range, ``force_update`` uses the nearer end of the range; ``reject`` rejects it:
    *effective* is None, and the next rule is tried.
    """
    policy = rule.priority
    verdict: PriorityVerdict | None
    effective: int | None
    if requested is None:
        effective, verdict = _priority_without_request(policy)
    else:
        effective, verdict = requested, PriorityVerdict.REQUESTED
        nearest = _nearest(policy, requested)
        if nearest != requested:
            forced = policy.on_violation is OnViolation.FORCE_UPDATE
            effective, verdict = (nearest, PriorityVerdict.FORCED) if forced else (None, None)
    return PriorityStep(
        rule=rule.index,
        requested=requested,
        effective=effective,
        verdict=verdict,
        default=policy.default,
        minimum=policy.minimum,
        maximum=policy.maximum,
        origin=policy.origin or rule.origin,
    )


def _priority_without_request(policy: PriorityPolicy) -> tuple[int, PriorityVerdict]:
    if policy.default is not None:
        return policy.default, PriorityVerdict.DEFAULT
    if policy.minimum:
        return policy.minimum, PriorityVerdict.FORCED
    return 0, PriorityVerdict.ZERO


def _nearest(policy: PriorityPolicy, requested: int) -> int:
    if policy.minimum is not None and requested < policy.minimum:
        return policy.minimum
    if policy.maximum is not None and requested > policy.maximum:
        return policy.maximum
    return requested
