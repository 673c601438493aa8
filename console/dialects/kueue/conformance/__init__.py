"""Cases from Kueue's own tests: their runners, which compare an engine's answers with Kueue's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final, TypeAlias

from console.dialects.conformance.parts import MalformedCase
from console.dialects.conformance.result import Result, Verdict, judged
from console.dialects.kueue.conformance import (
    cycle,
    dominant_share,
    flavor_assignment,
    preemption,
    quota,
    settle,
)
from console.dialects.kueue.conformance.engine_under_test import EngineUnderTest
from console.dialects.kueue.conformance.product import Product
from console.dialects.kueue.conformance.skips import reason_to_skip
from console.dialects.kueue.conformance.world import World, read_world

_Judge: TypeAlias = Callable[[Mapping[str, Any], World, EngineUnderTest], Iterator[str]]

_JUDGES: Final[dict[str, _Judge]] = {
    "cycle": cycle.judge,
    "settle": settle.judge,
    "flavor_assignment": flavor_assignment.judge,
    "preemption": preemption.judge,
    "quota": quota.judge,
    "dominant_share": dominant_share.judge,
}


def _run(
    judge: _Judge, name: str, case: Mapping[str, Any], engine: EngineUnderTest | None
) -> Result:
    reason = reason_to_skip(case)
    if reason is not None:
        return Result(name, Verdict.SKIPPED, (reason,))
    try:
        return judged(name, tuple(judge(case, read_world(case), engine or Product())))
    except MalformedCase as error:
        raise MalformedCase(f"{case['type']} case {name}: {error}") from error


#: Type of a case -> its runner.
RUNNERS: Final = {kind: partial(_run, judge) for kind, judge in _JUDGES.items()}
