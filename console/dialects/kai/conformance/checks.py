"""Cases of checks: what may start, reclaim or be taken."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Final

from console.dialects.conformance.differences import single
from console.dialects.conformance.parts import choice, objects_in, part
from console.dialects.conformance.result import Result, judged
from console.dialects.kai.conformance.case_values import (
    UNITS,
    amounts_of,
    named_standing,
    read_spec,
    read_standings,
    read_vector,
)
from console.dialects.kai.conformance.expectations import expect_allowed
from console.dialects.kai.conformance.runner import Runner
from console.engine.disciplines.fairshare.gates import (
    Gate,
    limit_refusal,
    quota_refusal,
    refusal,
)
from console.engine.disciplines.fairshare.reclaim import (
    Loss,
    ReclaimCheck,
    Reclaimer,
    exceeds_entitlement,
    may_try,
    serves_quota,
)

#: The gate -> the word for it in cases.
_GATES: Final = {Gate.LIMIT: "OverLimit", Gate.QUOTA: "NonPreemptibleOverQuota"}


def _run_capacity(name: str, case: Mapping[str, Any], engine: object) -> Result:
    standings, tree = read_standings(case), read_spec(case).tree
    job = part(case, "job", dict)
    path = [standings[each] for each in tree.path(part(job, "queue", str))]
    request, is_preemptible = amounts_of(job, "request"), part(job, "preemptible", bool)
    checks = {
        "start": lambda: refusal(path, request, is_preemptible=is_preemptible),
        "limit": lambda: limit_refusal(path, request),
        "quota": lambda: None if is_preemptible else quota_refusal(path, request),
    }
    refused = choice(case, "check", checks, "start")()
    found: dict[str, object] = {"allowed": refused is None}
    if refused is not None:
        found |= {
            "reason": _GATES[refused.gate],
            "queue": refused.queue,
            "resource": refused.resource,
        }
    return judged(name, tuple(single("the decision", part(case, "expect", dict), found)))


def _run_may_try_reclaim(name: str, case: Mapping[str, Any], engine: object) -> Result:
    reclaimer = _reclaimer(case)
    refused = may_try(named_standing(read_standings(case), reclaimer.queue), reclaimer)
    return expect_allowed(name, case, is_allowed=refused is None)


def _run_reclaim_strategy(name: str, case: Mapping[str, Any], engine: object) -> Result:
    standings, reclaimer = read_standings(case), _reclaimer(case)
    victim, remaining = (
        named_standing(standings, part(case, "victim", str)),
        amounts_of(case, "remaining"),
    )
    strategies = {
        "maintain_fair_share": lambda: exceeds_entitlement(remaining, victim),
        "guarantee_quota": lambda: serves_quota(
            named_standing(standings, reclaimer.queue), reclaimer.request, remaining, victim
        ),
    }
    return expect_allowed(name, case, is_allowed=choice(case, "strategy", strategies, "")())


def _run_reclaim_valid(name: str, case: Mapping[str, Any], engine: object) -> Result:
    check = ReclaimCheck(
        tree=read_spec(case).tree,
        standings=read_standings(case),
        saturation_multiplier=max(Fraction(1), Fraction(str(case["saturation_multiplier"]))),
    )
    losses = [
        Loss(
            queue=part(each, "queue", str),
            chunks=[read_vector(chunk, UNITS) for chunk in part(each, "chunks", list)],
        )
        for each in objects_in(case, "losses")
    ]
    return expect_allowed(name, case, is_allowed=check.refusal(_reclaimer(case), losses) is None)


def _reclaimer(case: Mapping[str, Any]) -> Reclaimer:
    words = part(case, "reclaimer", dict)
    return Reclaimer(
        queue=part(words, "queue", str),
        request=amounts_of(words, "request"),
        is_preemptible=part(words, "preemptible", bool, default=True),
    )


RUNNERS: Final[dict[str, Runner]] = {
    "kai_capacity": _run_capacity,
    "kai_may_try_reclaim": _run_may_try_reclaim,
    "kai_reclaim_strategy": _run_reclaim_strategy,
    "kai_reclaim_valid": _run_reclaim_valid,
}
