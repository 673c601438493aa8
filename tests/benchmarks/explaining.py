"""Explanations in words of pending workloads, among 100,000 pending ones."""

from __future__ import annotations

import time
from collections.abc import Iterator
from random import Random

from console.engine.explain import explain
from console.engine.model.decision import Outcome
from tests.benchmarks.measured import Measured
from tests.benchmarks.waiting import PendingWorld

PENDING = 100_000
SAMPLES = 200


def run() -> Iterator[Measured]:
    """Explain random workloads and measure the 95th percentile."""
    for cohorts, told in ((3, "3 cohorts"), (1, "1 cohort")):
        world = PendingWorld(cohorts, PENDING)
        waiting = world.waiting()
        took = []
        for name in Random(3).sample(list(world.state.pending), SAMPLES):
            start = time.perf_counter()
            trace = world.state.explain(name)
            explanation = explain(trace)
            took.append((time.perf_counter() - start) * 1000)
            line = [each.id for each in waiting[world.state.queue_of(name) or ""]]
            assert trace.outcome.outcome is Outcome.PENDING
            assert trace.order is not None
            assert (trace.order.position, trace.order.pending) == (
                line.index(name) + 1,
                len(line),
            )
            assert explanation.headline
        value = sorted(took)[int(SAMPLES * 0.95) - 1]
        name = f"engine: explain one of {PENDING:,} pending, {told}"
        yield Measured(name=name, value=value, unit="ms", at_most=20)
