"""Run one case of a vector file, whatever its type."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from console.dialects.conformance import (
    cycle,
    dominant_share,
    flavor_assignment,
    preemption,
    quota,
    settle,
)
from console.dialects.conformance.engine_under_test import EngineUnderTest
from console.dialects.conformance.native import run_native
from console.dialects.conformance.parts import MalformedCase
from console.dialects.conformance.product import Product
from console.dialects.conformance.result import Result, Verdict, judged
from console.dialects.conformance.skips import reason_to_skip
from console.dialects.conformance.world import World, read_world

_JUDGES: dict[str, Callable[[Mapping[str, Any], World, EngineUnderTest], Iterator[str]]] = {
    "cycle": cycle.judge,
    "settle": settle.judge,
    "flavor_assignment": flavor_assignment.judge,
    "preemption": preemption.judge,
    "quota": quota.judge,
    "dominant_share": dominant_share.judge,
}


def run_case(case: Mapping[str, Any], engine: EngineUnderTest | None = None) -> Result:
    """
    Run one case of a vector file; *engine* answers those of Kueue instead of the product's.

    Raises MalformedCase when it cannot be run as written.
    """
    name, kind = case.get("id"), case.get("type")
    if not isinstance(name, str) or not isinstance(kind, str):
        raise MalformedCase("a case needs an id and a type")
    if kind == "native":
        return run_native(name, case)
    try:
        return _run_kueue(name, kind, case, engine)
    except MalformedCase as error:
        raise MalformedCase(f"{kind} case {name}: {error}") from error


def _run_kueue(
    name: str, kind: str, case: Mapping[str, Any], engine: EngineUnderTest | None
) -> Result:
    reason = reason_to_skip(case)
    if reason is not None:
        return Result(name, Verdict.SKIPPED, (reason,))
    judge = _JUDGES.get(kind)
    if judge is None:
        sentence = f"cases of type {kind} are not supported by this version."
        return Result(name, Verdict.NOT_SUPPORTED, (sentence,))
    return judged(name, tuple(judge(case, read_world(case), engine or Product())))
