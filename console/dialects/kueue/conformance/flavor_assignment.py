"""Flavor assignment cases: the flavors of each pod set of one workload, with their modes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from console.dialects.conformance.differences import (
    amounts,
    amounts_by_flavor,
    named,
    names,
    single,
    unknown_parts,
)
from console.dialects.conformance.parts import choice, objects_in, part, quantities
from console.dialects.kueue.conformance.answers import (
    Attempt,
    Condition,
    FlavorAnswer,
    Mode,
    PodSetAnswer,
    ResourceFlavor,
)
from console.dialects.kueue.conformance.engine_under_test import (
    EngineUnderTest,
    PreemptionStub,
    Simulated,
)
from console.dialects.kueue.conformance.phrases import expected_reasons, reasons_phrase
from console.dialects.kueue.conformance.world import World, only_pending

_PARTS = ("mode", "borrowing", "pod_sets", "usage", "no_fit_reason")
_POD_SET_PARTS = ("name", "count", "flavors", "requests", "reasons", "attempts")
_MODES = {mode.value: mode for mode in Mode}
_CONDITIONS = {condition.value: condition for condition in Condition}


def judge(case: Mapping[str, Any], world: World, engine: EngineUnderTest) -> Iterator[str]:
    """Let *engine* assign flavors in the world of *case*, and yield the differences."""
    answer = engine.assign(world, only_pending(world), stub_in(case))
    yield from differences(case, answer)


def stub_in(case: Mapping[str, Any]) -> PreemptionStub:
    """Return the results that replace the search for victims."""
    stub = part(case, "preemption_stub", dict)
    return PreemptionStub(
        default=_simulated(part(stub, "default", dict)),
        pairs={
            (part(pair, "flavor", str), part(pair, "resource", str)): _simulated(pair)
            for pair in objects_in(stub, "pairs")
        },
    )


def _simulated(written: Mapping[str, Any]) -> Simulated:
    return Simulated(choice(written, "outcome", _MODES, ""), part(written, "level", int, 0))


def differences(case: Mapping[str, Any], answer: FlavorAnswer) -> Iterator[str]:
    """
    Yield a sentence for every difference between the expectation and *answer*.

    Attempts are compared if the case has them; a missing amount is zero.
    """
    expect = part(case, "expect", dict)
    yield from unknown_parts(expect, _PARTS)
    yield from single("the mode", part(expect, "mode", str), answer.mode.value)
    yield from single("the borrowing level", part(expect, "borrowing", int), answer.borrowing)
    no_fit_reason = part(expect, "no_fit_reason", str, "") or None
    yield from single("the reason of no fit", no_fit_reason, answer.no_fit_reason)
    yield from amounts_by_flavor("the usage", part(expect, "usage", dict), answer.usage)
    wanted = {part(each, "name", str): each for each in objects_in(expect, "pod_sets")}
    found = {each.name: each for each in answer.pod_sets}
    yield from names("among the pod sets looked at", wanted, found)
    for name in sorted(wanted.keys() & found.keys()):
        yield from _pod_set(wanted[name], found[name])


def _pod_set(expect: Mapping[str, Any], answer: PodSetAnswer) -> Iterator[str]:
    where = f"pod set {answer.name}"
    yield from unknown_parts(expect, _POD_SET_PARTS)
    yield from single(f"the count of {where}", part(expect, "count", int), answer.count)
    yield from amounts(f"the request of {where}", quantities(expect, "requests"), answer.requests)
    flavors = part(expect, "flavors", dict)
    yield from named(
        f"given to {where}",
        {each: _given_phrase(_given(part(flavors, each, dict))) for each in flavors},
        {each: _given_phrase(given) for each, given in answer.flavors.items()},
    )
    reasons = expected_reasons(expect, "reasons")
    yield from single(f"the reasons of {where}", reasons, reasons_phrase(answer.reasons))
    if "attempts" in expect:
        attempts = part(expect, "attempts", dict)
        yield from named(
            f"tried for {where}",
            {each: _attempt_phrase(_attempt(part(attempts, each, dict))) for each in attempts},
            {each: _attempt_phrase(attempt) for each, attempt in answer.attempts.items()},
        )


def _given(written: Mapping[str, Any]) -> ResourceFlavor:
    return ResourceFlavor(
        flavor=part(written, "flavor", str),
        mode=choice(written, "mode", _MODES, ""),
        tried=part(written, "tried", int),
    )


def _given_phrase(given: ResourceFlavor) -> str:
    return f"{given.flavor}, {given.mode}, tried {given.tried}"


def _attempt(written: Mapping[str, Any]) -> Attempt:
    why = part(written, "why", str, "")
    return Attempt(
        outcome=choice(written, "outcome", _MODES, ""),
        level=part(written, "level", int),
        why=choice(written, "why", _CONDITIONS, "") if why else None,
    )


def _attempt_phrase(attempt: Attempt) -> str:
    why = f", {attempt.why}" if attempt.why else ""
    return f"{attempt.outcome}, level {attempt.level}{why}"
