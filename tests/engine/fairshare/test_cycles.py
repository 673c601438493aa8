"""Whole cycles: the engine decides as a slow model of the rules, and gangs start whole."""

from __future__ import annotations

import os

from console.engine.model.decision import Outcome
from console.engine.state import State
from tests.engine.fairshare.cycle_worlds import CycleWorld
from tests.engine.fairshare.live import inventory, policy, queue, workload

#: ``WORLDS`` sets the number of histories.
_SEEDS = int(os.environ.get("WORLDS", "30"))


def test_the_engine_decides_as_the_model_in_random_histories() -> None:
    for seed in range(_SEEDS):
        CycleWorld(seed).play()


def test_further_pods_wait_as_long_as_the_minimum_does() -> None:
    state = State(policy([queue("a", quota=4), queue("b")]))
    state.change_inventory(inventory(4))
    state.submit(workload("runs", 1, "b", gpu=3))
    state.settle()
    state.submit(workload("gang", 2, "a", count=3, min_count=2))
    # One GPU is idle, which is not enough for the minimum.
    assert [(each.workload, each.outcome) for each in state.settle()] == [
        ("runs", Outcome.PREEMPTED),
        ("gang", Outcome.PENDING),
    ]
    state.release("runs")
    started, *_ = state.settle()
    assert (started.workload, started.outcome) == ("gang", Outcome.ADMITTED)
    assert [each.count for each in started.assignment] == [3]
