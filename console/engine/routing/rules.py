"""Routing rules: which workloads a rule matches, and the priority that it gives them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from console.engine.model.origin import Origin
from console.engine.model.selectors import EVERYTHING, Selector
from console.engine.model.trace import PriorityStep, PriorityVerdict


class OnViolation(StrEnum):
    """What happens to a requested priority outside the rule's range."""

    REJECT = "reject"
    FORCE_UPDATE = "force_update"


@dataclass(frozen=True, slots=True, kw_only=True)
class PriorityPolicy:
    """The priority a rule gives, and the range it accepts; None leaves that side open."""

    default: int | None = None
    minimum: int | None = None
    maximum: int | None = None
    on_violation: OnViolation = OnViolation.REJECT
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One routing rule: workloads that match go to the queue, rules are tried in order."""

    index: int
    #: Name of a queue that exists.
    queue: str
    selector: Selector = EVERYTHING
    priority: PriorityPolicy = PriorityPolicy()
    origin: Origin | None = None


def effective_priority(rule: Rule, requested: int | None) -> PriorityStep:
    """
    Apply the rule's priority policy to a requested priority.

    Without a request the default applies, or 0 raised to the minimum. A request
    outside the range is moved to its nearer end by ``force_update`` and refused
    by ``reject``: then *effective* is None and the next rule is tried.
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
