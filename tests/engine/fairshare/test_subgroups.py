"""Workloads of several groups, each with a minimum: they start together and grow evenly."""

from __future__ import annotations

from dataclasses import replace

from console.engine.model.decision import Outcome
from console.engine.model.workload import PodSet
from console.engine.state import State
from tests.engine.fairshare.live import inventory, policy, queue, workload


def test_the_minimum_of_every_group_starts_and_then_one_pod_after_the_other() -> None:
    groups = tuple(
        PodSet(name=name, count=count, min_count=minimum, requests={"gpu": 1_000})
        for name, count, minimum in (("actors", 6, 2), ("learners", 3, 1))
    )
    state = State(policy([queue("a", quota=8)]), now=1_000)
    state.change_inventory(inventory(2))
    state.submit(replace(workload("one", 1, "a"), pod_sets=groups))
    (waits,) = state.settle()
    assert (waits.outcome, waits.reason) == (Outcome.PENDING, "exceeds_nodes")
    state.change_inventory(inventory(3))
    (starts,) = state.settle()
    assert {each.name: each.count for each in starts.assignment} == {"actors": 2, "learners": 1}
    # Of groups that exceed their minimum by the same factor, the first by name gets the next pod.
    state.change_inventory(inventory(6))
    (grows,) = state.settle()
    assert grows.outcome is Outcome.RESIZED
    assert {each.name: each.count for each in grows.assignment} == {"actors": 4, "learners": 2}
