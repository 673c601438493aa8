"""Preemption cases: the victims of a workload with given flavors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from console.dialects.conformance.differences import named, single, unknown_parts
from console.dialects.conformance.parts import choice, part
from console.dialects.kueue.conformance.answers import Mode, VictimsAnswer
from console.dialects.kueue.conformance.engine_under_test import EngineUnderTest, Nominated
from console.dialects.kueue.conformance.world import World, only_pending

_MODES = {mode.value: mode for mode in Mode}


def judge(case: Mapping[str, Any], world: World, engine: EngineUnderTest) -> Iterator[str]:
    """Let *engine* find the victims in the world of *case*, and yield the differences."""
    preemptor = only_pending(world)
    yield from differences(case, engine.targets(world, preemptor, nominated_in(case)))


def nominated_in(case: Mapping[str, Any]) -> dict[str, dict[str, Nominated]]:
    """Return the nominated flavor of each pod set and resource of the workload."""
    assignment = part(case, "assignment", dict)
    return {
        pod_set: {
            resource: Nominated(part(given, "flavor", str), choice(given, "mode", _MODES, ""))
            for resource, given in part(assignment, pod_set, dict).items()
        }
        for pod_set in assignment
    }


def differences(case: Mapping[str, Any], answer: VictimsAnswer) -> Iterator[str]:
    """Yield a sentence for every different victim; the count is compared if the case has it."""
    expect = part(case, "expect", dict)
    yield from unknown_parts(expect, ("victims", "count"))
    victims = {name: reason.value for name, reason in answer.victims.items()}
    yield from named("a victim", part(expect, "victims", dict), victims)
    if "count" in expect:
        what = "the number of victims, with workloads that are already evicting,"
        yield from single(what, expect["count"], answer.count)
