"""Quota cases: the quota that each queue can have at most, and what is available."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from console.dialects.conformance.differences import amounts_by_flavor, unknown_parts
from console.dialects.conformance.parts import part
from console.dialects.kueue.conformance.answers import QuotaAnswer
from console.dialects.kueue.conformance.engine_under_test import EngineUnderTest
from console.dialects.kueue.conformance.world import World


def judge(case: Mapping[str, Any], world: World, engine: EngineUnderTest) -> Iterator[str]:
    """Compare the quota that *engine* returns for the world of *case*; yield the differences."""
    yield from differences(case, engine.quota(world))


def differences(case: Mapping[str, Any], answer: QuotaAnswer) -> Iterator[str]:
    """Yield a sentence for every different amount of those that the case has."""
    expect = part(case, "expect", dict)
    yield from unknown_parts(expect, ("potential", "available"))
    found = {"potential": answer.potential, "available": answer.available}
    for what, by_queue in found.items():
        if what not in expect:
            continue
        wanted = part(expect, what, dict)
        for queue in sorted(wanted.keys() | by_queue.keys()):
            yield from amounts_by_flavor(
                f"the {what} quota of {queue}",
                part(wanted, queue, dict, {}),
                by_queue.get(queue, {}),
            )
