"""Cycle cases: the state of all workloads after exactly one cycle, with reasons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from console.dialects.conformance.differences import named, names, single, unknown_parts
from console.dialects.conformance.parts import part
from console.dialects.kueue.conformance.answers import CycleAnswer, HeadVerdict
from console.dialects.kueue.conformance.engine_under_test import EngineUnderTest
from console.dialects.kueue.conformance.phrases import admitted, expected_reasons, reasons_phrase
from console.dialects.kueue.conformance.world import World

_PARTS = (
    "admitted",
    "preempted",
    "requeued",
    "inadmissible",
    "messages",
    "skipped_preemptions",
)
_MESSAGE_PARTS = ("reason", "code", "victims", "pod_sets")


def judge(case: Mapping[str, Any], world: World, engine: EngineUnderTest) -> Iterator[str]:
    """Run one cycle of *engine* on the world of *case*, and yield the differences."""
    yield from differences(case, engine.cycle(world))


def differences(case: Mapping[str, Any], answer: CycleAnswer) -> Iterator[str]:
    """
    Yield a sentence for every difference between the expectation and *answer*.

    Only the expected messages are compared, and only their expected parts; skipped preemptions are
    compared if the case has them.
    """
    expect = part(case, "expect", dict)
    yield from unknown_parts(expect, _PARTS)
    yield from admitted(expect, answer.admitted)
    preempted = {name: reason.value for name, reason in answer.preempted.items()}
    yield from named("preempted", part(expect, "preempted", dict), preempted)
    yield from names("requeued", part(expect, "requeued", list), answer.requeued)
    yield from names("inadmissible", part(expect, "inadmissible", list), answer.inadmissible)
    messages = part(expect, "messages", dict)
    for name in sorted(messages):
        yield from _message(name, part(messages, name, dict), answer.messages.get(name))
    if "skipped_preemptions" in expect:
        wanted, found = part(expect, "skipped_preemptions", dict), answer.skipped_preemptions
        for queue in sorted(wanted.keys() | found.keys()):
            what = f"the number of skipped preemptions of {queue}"
            yield from single(what, wanted.get(queue, 0), found.get(queue, 0))


def _message(name: str, expect: Mapping[str, Any], verdict: HeadVerdict | None) -> Iterator[str]:
    if verdict is None:
        yield f"Nothing is said about {name}, but expected is: {expect}."
        return
    yield from unknown_parts(expect, _MESSAGE_PARTS)
    if "reason" in expect:
        yield from single(f"the reason of {name}", expect["reason"], verdict.reason.value)
    if "code" in expect:
        yield from single(f"the code of {name}", expect["code"], verdict.code.value)
    if "victims" in expect:
        yield from single(f"the number of victims of {name}", expect["victims"], verdict.victims)
    if "pod_sets" in expect:
        wanted = part(expect, "pod_sets", dict)
        yield from named(
            f"a pod set of {name} with reasons",
            {pod_set: expected_reasons(wanted, pod_set) for pod_set in wanted},
            {pod_set: reasons_phrase(each) for pod_set, each in verdict.pod_sets.items()},
        )
