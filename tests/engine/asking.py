"""Asking why: the sentences that somebody reads who asks where a workload is."""

from __future__ import annotations

from console.engine.explain import explain
from console.engine.model.trace import Trace
from tests.engine.builders import World

#: Stages that say how a workload came to its queue.
_BEFORE = ("intake", "route", "priority", "queue")


def in_full(trace: Trace) -> list[str]:
    """Return all that is said of a trace, the headline first and not again."""
    told = explain(trace)
    return [told.headline] + [
        f"{stage.stage}: {sentence.text}"
        for stage in told.stages
        for sentence in stage.sentences
        if sentence.text != told.headline
    ]


def why(world: World, name: str) -> list[str]:
    """Return what is said of a workload now: the headline, then from the flavors on."""
    told = in_full(world.state.explain(name))
    return [line for line in told if line.partition(":")[0] not in _BEFORE]
