"""Helpers that return the explanation of a live workload as sentences."""

from __future__ import annotations

from console.engine.explain import explain
from console.engine.model.trace import Trace
from tests.engine.builders import World

#: Stages that explain how a workload was routed to its queue.
_BEFORE = ("intake", "route", "priority", "queue")


def in_full(trace: Trace) -> list[str]:
    """Return all sentences about a trace, starting with the headline, without repetition."""
    told = explain(trace)
    return [told.headline] + [
        f"{stage.stage}: {sentence.text}"
        for stage in told.stages
        for sentence in stage.sentences
        if sentence.text != told.headline
    ]


def why(world: World, name: str) -> list[str]:
    """Return the explanation of a workload: the headline, and the stages from flavors on."""
    told = in_full(world.state.explain(name))
    return [line for line in told if line.partition(":")[0] not in _BEFORE]
