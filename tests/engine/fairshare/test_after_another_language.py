"""Workloads that another discipline has started, under a policy of queues with fair shares."""

from __future__ import annotations

from console.engine.model.decision import Outcome, PodSetAssignment
from console.engine.state import State
from tests.engine.fairshare.live import inventory, policy, queue, workload


def test_they_count_for_their_queue_and_keep_running() -> None:
    state = State(policy([queue("a", quota=4, limit=4)]), now=1_000)
    state.change_inventory(inventory(8))
    state.restore(
        workload("old", 1, "a", gpu=1, count=3),
        queue="a",
        priority=50,
        assignment=(PodSetAssignment(name="main", count=3, flavors={"gpu": "spot"}),),
        reservation=1,
        evicting=False,
    )
    state.submit(workload("one", 2, "a"))
    state.submit(workload("two", 3, "a"))
    decided = {each.workload: (each.outcome, each.reason) for each in state.settle()}
    assert decided == {
        "one": (Outcome.ADMITTED, "fairshare_started"),
        "two": (Outcome.PENDING, "over_limit"),
    }
    assert state.running["old"].assignment[0].count == 3
    assert state.settle() == []
    assert state.finish("old")
    assert [(each.workload, each.outcome) for each in state.settle()] == [("two", Outcome.ADMITTED)]
