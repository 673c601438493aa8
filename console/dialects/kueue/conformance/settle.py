"""Settle cases: the final admitted and pending workloads, and the decisions of each cycle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from console.dialects.conformance.differences import named, single, unknown_parts
from console.dialects.conformance.parts import choice, objects_in, part
from console.dialects.kueue.conformance.answers import Action, SettleAnswer
from console.dialects.kueue.conformance.engine_under_test import EngineUnderTest
from console.dialects.kueue.conformance.phrases import admitted
from console.dialects.kueue.conformance.world import World

_PARTS = ("admitted", "pending", "decisions", "steady", "resync_changed")
_ACTIONS = {action.value: action for action in Action}


def judge(case: Mapping[str, Any], world: World, engine: EngineUnderTest) -> Iterator[str]:
    """Let *engine* settle the world of *case*, and yield the differences."""
    yield from differences(case, engine.settle(world))


def differences(case: Mapping[str, Any], answer: SettleAnswer) -> Iterator[str]:
    """
    Yield a sentence for every difference between the expectation and *answer*.

    Decisions are compared by cycle; their order inside a cycle does not matter.
    """
    expect = part(case, "expect", dict)
    yield from unknown_parts(expect, _PARTS)
    yield from admitted(expect, answer.admitted)
    pending = {name: condition.value for name, condition in answer.pending.items()}
    yield from named("pending", part(expect, "pending", dict), pending)
    yield from _decisions(expect, answer)
    yield from single("steady", part(expect, "steady", bool, True), answer.is_steady)
    if "resync_changed" in expect and answer.did_resync_change is not None:
        yield from single("resync_changed", expect["resync_changed"], answer.did_resync_change)


def _decisions(expect: Mapping[str, Any], answer: SettleAnswer) -> Iterator[str]:
    wanted = {
        (
            part(each, "cycle", int),
            _phrase(
                choice(each, "action", _ACTIONS, ""),
                part(each, "workload", str),
                part(each, "victims", dict, {}),
            ),
        )
        for each in objects_in(expect, "decisions")
    }
    found = {
        (each.cycle, _phrase(each.action, each.workload, each.victims)) for each in answer.decisions
    }
    for cycle, phrase in sorted(wanted ^ found):
        if (cycle, phrase) in wanted:
            yield f"Cycle {cycle} does not {phrase}, but is expected to."
        else:
            yield f"Cycle {cycle} does {phrase}, but is not expected to."


def _phrase(action: Action, workload: str, victims: Mapping[str, str]) -> str:
    if action is Action.ADMIT:
        return f"admit {workload}"
    phrases = [f"{name} ({reason})" for name, reason in sorted(victims.items())]
    return f"preempt {', '.join(phrases) or 'no workload'} for {workload}"
