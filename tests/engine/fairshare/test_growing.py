"""Further pods of a running workload: they may take room from others, as the first ones may."""

from __future__ import annotations

from console.engine.model.decision import Outcome
from console.engine.state import State
from tests.engine.fairshare.live import inventory, policy, queue, workload


def test_further_pods_reclaim_what_their_queue_is_entitled_to() -> None:
    state = State(policy([queue("a", quota=2), queue("b", quota=1, weight=0)]), now=1_000)
    state.change_inventory(inventory(3))
    for number in (1, 2):
        state.submit(workload(f"b{number}", number, "b"))
    state.settle()
    state.submit(workload("elastic", 3, "a", count=2, min_count=1))
    decided = [(each.workload, each.outcome, each.reason) for each in state.settle()]
    assert decided == [
        ("elastic", Outcome.ADMITTED, "fairshare_started"),
        ("b2", Outcome.PREEMPTED, "fairshare_reclaimed"),
    ]
    assert state.running["b2"].preemptor == "elastic"
    assert state.settle() == []
    assert state.release("b2")
    decided = [(each.workload, each.outcome, each.reason) for each in state.settle()]
    assert decided == [
        ("elastic", Outcome.RESIZED, "fairshare_grown"),
        ("b2", Outcome.PENDING, "no_node_has_room"),
    ]
    assert state.running["elastic"].assignment[0].count == 2


def test_a_workload_that_lost_pods_searches_no_victims_for_them() -> None:
    state = State(policy([queue("a", quota=1), queue("b", quota=2)]), now=1_000)
    state.change_inventory(inventory(3))
    state.submit(workload("elastic", 1, "a", count=3, min_count=1))
    state.settle()
    state.submit(workload("other", 2, "b", gpu=2))
    decided = [(each.workload, each.outcome, each.reason) for each in state.settle()]
    assert ("elastic", Outcome.RESIZED, "fairshare_reclaimed") in decided
    assert state.running["elastic"].assignment[0].count == 1
    assert state.settle() == []
