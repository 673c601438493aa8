"""
Pods of many queues, in the shapes in which YuniKorn's core is measured, and one more decision.

Its own benchmark allocates 10,000 asks of 1,000 applications on one large node.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from console.engine.model.decision import Outcome
from console.engine.state import State
from tests.benchmarks.measured import Measured
from tests.engine.hierarchy.live import inventory, limit, policy, workload

APPLICATIONS, ASKS = 1_000, 10

#: Numbers of pending pods between which the time of one more decision is compared.
FEW, MANY = 1_000, 1_000_000

_USERS: Final = 20
_QUEUES: Final = 20
#: How many workloads end, one after the other.
_ENDS: Final = 40


@dataclass(frozen=True, slots=True)
class _Shape:
    """Queues and nodes of one measurement."""

    title: str
    queues: Mapping[str, Mapping[str, Any]]
    leaves: tuple[str, ...]
    nodes: int
    at_least: float


def run() -> Iterator[Measured]:
    """Allocate the pods of each shape; then time decisions after single workloads end."""
    for shape in (*(_flat(number) for number in (10, 50, 100, 500)), _deep()):
        pods = APPLICATIONS * ASKS
        state = State(policy(shape.queues))
        size = 4 * pods // shape.nodes
        state.change_inventory(inventory(*[size] * shape.nodes))
        for number in range(APPLICATIONS):
            queue = shape.leaves[number % len(shape.leaves)]
            user = f"u{number % _USERS}"
            state.submit(workload(f"w{number}", number + 1, queue, count=ASKS, user=user))
        start = time.process_time()
        decisions = state.settle()
        seconds = time.process_time() - start
        assert len(state.running) == len(decisions) == APPLICATIONS
        placed = [sum(each.count for each in decision.assignment) for decision in decisions]
        assert placed == [ASKS] * APPLICATIONS
        assert all(each.outcome is Outcome.ADMITTED for each in decisions)
        yield Measured(
            name=f"hierarchies: {shape.title}",
            value=pods / seconds,
            unit="pods/s",
            at_least=shape.at_least,
        )
    few, many = _one_more(FEW), _one_more(MANY)
    yield Measured(name=f"hierarchies: one more decision, {FEW:,} pods", value=few, unit="ms")
    yield Measured(name=f"hierarchies: one more decision, {MANY:,} pods", value=many, unit="ms")
    yield Measured(name="hierarchies: the ratio of both", value=many / few, unit="", at_most=1.5)


def _flat(number: int) -> _Shape:
    """Return *number* queues below the root and one large node."""
    names = tuple(f"q{each:03d}" for each in range(number))
    queues = {name: {"guaranteed": 10} for name in names}
    return _Shape(f"{number} queues", queues, names, 1, at_least=3_000)


def _deep() -> _Shape:
    """Return 100 queues at the third level with limits of users, and 2,000 nodes."""
    queues: dict[str, Mapping[str, Any]] = {}
    leaves = []
    everyone = limit(users="*", maximum=100_000, applications=100_000)
    for top in (f"a{each}" for each in range(10)):
        queues[top] = {"maximum": 100_000}
        for middle in (f"{top}.b{each}" for each in range(2)):
            queues[middle] = {"limits": (everyone,)}
            for leaf in (f"{middle}.c{each}" for each in range(5)):
                queues[leaf] = {"guaranteed": 10, "limits": (everyone,)}
                leaves.append(leaf)
    title = "100 queues of 3 levels, user limits, 2,000 nodes"
    return _Shape(title, queues, tuple(leaves), 2_000, at_least=1_500)


def _one_more(pending: int) -> float:
    """Return the milliseconds of a settle after one workload ends, while *pending* pods wait."""
    names = [f"q{each}" for each in range(_QUEUES)]
    state = State(policy({name: {"guaranteed": 10} for name in names}))
    state.change_inventory(inventory(*[100] * 20))
    # The cluster is full before others arrive.
    workloads = 2_000 // ASKS + pending // ASKS
    for number in range(workloads):
        queue, user = names[number % len(names)], f"u{number % _USERS}"
        state.submit(workload(f"w{number}", number + 1, queue, count=ASKS, user=user))
    state.settle()
    assert len(state.running) == 2_000 // ASKS
    times = []
    for uid in list(state.running)[:_ENDS]:
        assert state.finish(uid)
        start = time.process_time()
        decisions = state.settle()
        times.append(time.process_time() - start)
        assert Outcome.ADMITTED in [each.outcome for each in decisions]
    assert len(state.running) == 2_000 // ASKS
    return sorted(times)[len(times) // 2] * 1000
