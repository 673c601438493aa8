"""Speed of the engine alone: throughput, and cost per decision by number of pending workloads."""

from __future__ import annotations

import gc
import multiprocessing
import os
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from random import Random

from console.engine.disciplines.quota.spec import (
    Flavor,
    FlavorQuotas,
    QueueSpec,
    Quota,
    ResourceGroup,
    quota_policy,
)
from console.engine.model.decision import Decision, Outcome
from console.engine.model.policy import Policy
from console.engine.model.workload import PodSet, Workload
from console.engine.routing.rule_routing import route_by
from console.engine.routing.rules import Rule
from console.engine.state import State
from tests.benchmarks.measured import Measured
from tests.benchmarks.waiting import PendingWorld, fits_wherever, place

FEW, MANY = 1_000, 1_000_000

#: Number of passes, of which the best counts, and finished workloads per pass.
_PASSES, _ENDS = 3, 100


def run() -> Iterator[Measured]:
    """Measure throughput, then worlds of many cohorts and of one, with few and many pending."""
    yield _throughput(20_000)
    for cohorts, told in ((3, "3 cohorts"), (1, "1 cohort")):
        few, many = _alone(cohorts, FEW), _alone(cohorts, MANY)
        for pending, cost in ((FEW, few), (MANY, many)):
            name = f"engine: one decision, {told}, {pending:,} pending"
            yield Measured(name=name, value=cost.microseconds, unit="µs")
        growth = many.microseconds / few.microseconds
        name = f"engine: growth of that cost, {told}"
        yield Measured(name=name, value=growth, unit="times", at_most=1.5)
        name = f"engine: memory of one pending workload, {told}"
        yield Measured(name=name, value=many.bytes_each, unit="bytes", at_most=1024)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Time and memory of a world of many pending workloads."""

    #: Time to finish a workload and settle, per workload that is admitted for it. Ends without an
    #: admission do not count; they are more frequent where few wait.
    microseconds: float
    #: Growth of the process per pending workload.
    bytes_each: float


def cost(cohorts: int, pending: int) -> Cost:
    """
    Build a world, measure it and check it; to be called in a separate process.

    The memory is the growth of the process: the state, its workloads with separate values for each,
    and memory that the allocator does not return.
    """
    gc.collect()
    before = _resident()
    world = PendingWorld(cohorts, pending)
    gc.collect()
    grown = _resident() - before
    draw = Random(2)
    best = float("inf")
    decisions: list[Decision] = []
    for _ in range(_PASSES):
        ends = draw.sample(list(world.state.running), _ENDS)
        took, admitted, made = _finish(world, ends)
        assert admitted >= _ENDS // 4, f"{admitted} were admitted when {_ENDS} ended"
        best = min(best, took / admitted)
        decisions += made
    world.check()
    _check_order(world, decisions)
    return Cost(microseconds=best * 1e6, bytes_each=grown / len(world.state.pending))


def _finish(world: PendingWorld, ends: list[str]) -> tuple[float, int, list[Decision]]:
    """Finish workloads one by one; return seconds and admissions that count, and all decisions."""
    decisions: list[Decision] = []
    took, admitted = 0.0, 0
    for workload in ends:
        if workload not in world.state.running:
            continue  # It was preempted meanwhile.
        start = time.perf_counter()
        world.state.finish(workload)
        made = world.rest()
        seconds = time.perf_counter() - start
        decisions += made
        if started := sum(decision.outcome is Outcome.ADMITTED for decision in made):
            took += seconds
            admitted += started
    return took, admitted, decisions


def _check_order(world: PendingWorld, decisions: list[Decision]) -> None:
    """Check that no pending workload fits or should have preceded an admitted one."""
    waiting = world.waiting()
    world.check_that_none_fits(waiting)
    stopped = {each.workload for each in decisions if each.outcome is Outcome.PREEMPTED}
    for decision in decisions:
        running = world.state.running.get(decision.workload)
        if decision.outcome is not Outcome.ADMITTED or running is None:
            continue
        for other in waiting[decision.queue or ""]:
            if place(other) > place(running.workload):
                break
            overtaken = other.id not in stopped and fits_wherever(other, running.workload)
            assert not overtaken, f"{decision.workload} was admitted, {other.id} waits"


def _alone(cohorts: int, pending: int) -> Cost:
    """Measure in a fresh process, whose memory belongs to one world."""
    fresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max_workers=1, mp_context=fresh) as pool:
        return pool.submit(cost, cohorts, pending).result()


def _resident() -> int:
    """Return the resident memory of this process in bytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def _throughput(count: int) -> Measured:
    state = State(_one_queue(4 * count))
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


def _one_queue(gpus: int) -> Policy:
    group = ResourceGroup(
        resources=("gpu",),
        flavors=(FlavorQuotas(flavor="any", quotas={"gpu": Quota(nominal=gpus * 1000)}),),
    )
    return quota_policy(
        "native",
        flavors={"any": Flavor(name="any")},
        queues={"train": QueueSpec(name="train", groups=(group,))},
        routing=route_by((Rule(index=0, queue="train"),)),
    )


def _workload(number: int) -> Workload:
    return Workload(
        id=f"w{number}",
        sequence=number,
        labels={"team": f"team-{number % 20}"},
        priority=number % 5,
        pod_sets=(PodSet(requests={"gpu": 1000 * (1 + number % 4)}),),
    )
