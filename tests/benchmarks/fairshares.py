"""Fair shares of many queues, jobs of whole nodes, and one more decision with many waiting."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from typing import Final

from console.engine.disciplines.fairshare.fair_share import FairShareTree
from console.engine.disciplines.fairshare.resources import PerResource
from console.engine.disciplines.fairshare.spec import FairQueue, FairshareSpec
from console.engine.model.amounts import SCALE
from console.engine.model.decision import Outcome
from console.engine.state import State
from tests.benchmarks.measured import Measured
from tests.engine.fairshare.live import inventory, policy, queue, workload

NODES, GPUS = 500, 8

#: Numbers of waiting jobs between which the time of one more decision is compared.
FEW, MANY = 1_000, 100_000

_DEPARTMENTS, _QUEUES, _ENDS = 20, 200, 60

#: How often the fair shares are computed.
_ROUNDS: Final = 20


def run() -> Iterator[Measured]:
    """Compute fair shares; decide many jobs at once; then time decisions after single jobs end."""
    yield Measured(
        name=f"fairshares: 1,000 queues in 4 levels, {NODES} nodes",
        value=_fair_shares(),
        unit="ms",
        at_most=20,
    )
    state, jobs = _state(), NODES * GPUS
    for number in range(jobs):
        state.submit(workload(f"w{number}", number + 1, f"q{number % _QUEUES}", gpu=GPUS))
    start = time.process_time()
    decisions = state.settle()
    seconds = time.process_time() - start
    assert len(decisions) == jobs
    assert sum(each.outcome is Outcome.ADMITTED for each in decisions) == NODES
    yield Measured(
        name=f"fairshares: {jobs:,} jobs of {GPUS} GPUs, {NODES} nodes",
        value=seconds,
        unit="s",
        at_most=5,
    )
    few, many = _one_more(FEW), _one_more(MANY)
    yield Measured(name=f"fairshares: one more decision, {FEW:,} waiting", value=few, unit="ms")
    yield Measured(name=f"fairshares: one more decision, {MANY:,} waiting", value=many, unit="ms")
    yield Measured(name="fairshares: the ratio of both", value=many / few, unit="", at_most=1.5)


def _fair_shares() -> float:
    """Return the milliseconds of one computation for 1,000 queues in four levels."""
    world = random.Random(1)
    names = [f"q{number}" for number in range(1_000)]
    queues = {}
    for number, name in enumerate(names):
        # 4, 16 and 80 queues with children, and 900 without.
        parent = None if number < 4 else names[(number - 4) // 4] if number < 20 else None
        if 20 <= number < 100:
            parent = names[4 + (number - 20) % 16]
        elif number >= 100:
            parent = names[20 + (number - 100) % 80]
        quota = round(world.choice((0, 1, 2, 4)) * SCALE)
        queues[name] = FairQueue(
            name=name,
            parent=parent,
            created=number,
            quota=PerResource(quota, quota, quota),
            weight=PerResource(1.0, 1.0, float(world.choice((0, 1, 2)))),
        )
    tree = FairshareSpec(queues=queues).tree
    requests = {
        name: PerResource(*(world.randrange(9) * SCALE for _ in range(3))) for name in names
    }
    total = PerResource(NODES * 64 * SCALE, NODES * 2**38 * SCALE, NODES * GPUS * SCALE)
    shares = FairShareTree(tree)
    start = time.process_time()
    for _ in range(_ROUNDS):
        found = shares.compute(total, requests, k_value=1.0)
    seconds = time.process_time() - start
    assert len(found.shares) == len(names)
    assert max(len(tree.path(name)) for name in names) == 4
    return seconds / _ROUNDS * 1e3


def _one_more(waiting: int) -> float:
    """
    Return the milliseconds of a decision, on average over those after single jobs have ended.

    Workloads that have to stop do so at once.
    """
    world = random.Random(2)
    state, number = _state(), 0
    while len(state.pending) < waiting:
        for _ in range(1_000):
            number += 1
            name = f"q{world.randrange(_QUEUES)}"
            state.submit(workload(f"w{number}", number, name, gpu=world.choice((1, 2, 4, 8))))
        _settle(state)
    ending = sorted(state.running)[:: max(1, len(state.running) // _ENDS)][:_ENDS]
    decided = 0
    start = time.process_time()
    for uid in ending:
        state.finish(uid)
        decided += _settle(state)
    seconds = time.process_time() - start
    assert decided >= len(ending)
    for node in state.inventory.clusters["c"].nodes:
        used = state.node_usage.of(("c", node.name))
        assert all(amount <= node.offered[key] for key, amount in used.items())
    return seconds / decided * 1e3


def _settle(state: State) -> int:
    """Settle, and let the workloads stop that have to; return the number of decisions."""
    decided = len(state.settle())
    state.take_changes()
    while state.evicting:
        for uid in sorted(state.evicting):
            state.release(uid)
        decided += len(state.settle())
        state.take_changes()
    return decided


def _state() -> State:
    queues = [queue(f"d{number}", quota=None) for number in range(_DEPARTMENTS)]
    quota = NODES * GPUS // _QUEUES // 2
    for number in range(_QUEUES):
        parent = f"d{number % _DEPARTMENTS}"
        queues.append(
            queue(f"q{number}", parent, quota=quota, weight=1 + number % 3, created=number)
        )
    state = State(policy(queues), now=1_000)
    state.change_inventory(inventory(*[GPUS] * NODES))
    return state
