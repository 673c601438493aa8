"""The engine alone: decisions per second, and what one decision costs as more workloads wait."""

from __future__ import annotations

import time
from collections.abc import Iterator

from console.engine.decision import Outcome
from console.engine.policy import (
    Flavor,
    FlavorQuotas,
    Policy,
    Queue,
    Quota,
    ResourceGroup,
    Rule,
)
from console.engine.state import State
from console.engine.workload import PodSet, Workload
from tests.benchmarks.measured import Measured


def run() -> Iterator[Measured]:
    """Measure the engine."""
    yield _throughput(20_000)
    few, many = _cost_per_finish(1_000), _cost_per_finish(100_000)
    yield Measured(name="engine: one finish and admit, 1,000 pending", value=few, unit="µs")
    yield Measured(name="engine: one finish and admit, 100,000 pending", value=many, unit="µs")
    yield Measured(name="engine: growth of that cost", value=many / few, unit="times", at_most=1.5)
    yield _explaining(100_000)


def _policy(gpus: int) -> Policy:
    group = ResourceGroup(
        resources=("gpu",),
        flavors=(FlavorQuotas(flavor="any", quotas={"gpu": Quota(nominal=gpus * 1000)}),),
    )
    return Policy(
        dialect="native",
        flavors={"any": Flavor(name="any")},
        queues={"train": Queue(name="train", groups=(group,))},
        rules=(Rule(index=0, queue="train"),),
    )


def _workload(number: int) -> Workload:
    return Workload(
        id=f"w{number}",
        sequence=number,
        labels={"team": f"team-{number % 20}"},
        priority=number % 5,
        pod_sets=(PodSet(requests={"gpu": 1000 * (1 + number % 4)}),),
    )


def _throughput(count: int) -> Measured:
    state = State(_policy(4 * count))
    workloads = [_workload(number) for number in range(count)]
    start = time.perf_counter()
    for workload in workloads:
        state.submit(workload)
    admitted = sum(d.outcome is Outcome.ADMITTED for d in state.settle())
    for workload in workloads:
        state.finish(workload.id)
    state.settle()
    took = time.perf_counter() - start
    assert admitted == count
    assert not state.usage("train")
    return Measured(name="engine: submit, admit and finish", value=count / took, unit="per s")


def _cost_per_finish(pending: int) -> float:
    """Return microseconds for one workload to finish and the next to start, best of three."""
    state = State(_policy(1_000))
    number = 0
    while len(state.pending) < pending:
        for _ in range(2_000):
            state.submit(_workload(number))
            number += 1
        state.settle()
    best = float("inf")
    for _ in range(3):
        running = list(state.running)[:100]
        start = time.perf_counter()
        for workload in running:
            state.finish(workload)
            state.settle()
        best = min(best, time.perf_counter() - start)
    used = sum(sum(running.usage.values()) for running in state.running.values())
    assert state.usage("train") == {("any", "gpu"): used}
    return best / 100 * 1e6


def _explaining(pending: int) -> Measured:
    state = State(_policy(1_000))
    for number in range(pending):
        state.submit(_workload(number))
    state.settle()
    last = next(reversed(state.pending))
    start = time.perf_counter()
    trace = state.explain(last)
    took = time.perf_counter() - start
    assert trace.order is not None
    assert trace.order.pending == len(state.pending)
    name = "engine: explain one of 100,000 pending"
    return Measured(name=name, value=took * 1000, unit="ms", at_most=20)
