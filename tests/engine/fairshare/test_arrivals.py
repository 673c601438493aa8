"""Fair shares follow requests: workloads that arrive or leave give others a turn."""

from __future__ import annotations

from console.engine.disciplines.fairshare.reasons import RECLAIMED
from console.engine.model.decision import Decision, Outcome
from console.engine.state import State
from tests.engine.fairshare.live import inventory, policy, queue, workload


def _full() -> State:
    """Return a state in which queue a uses all four GPUs by one elastic workload."""
    state = State(policy([queue("a", quota=0), queue("b", quota=0)]))
    state.change_inventory(inventory(4))
    state.submit(workload("runs", 1, "a", count=4, min_count=1))
    state.settle()
    return state


def _taken(decisions: list[Decision]) -> int:
    """Return how many pods are reclaimed from the running workload."""
    resizes = [each for each in decisions if each.outcome is Outcome.RESIZED]
    assert all(each.reason == RECLAIMED for each in resizes)
    return sum(
        pods.place.count
        for each in resizes
        if each.resize is not None
        for pods in each.resize.taken
    )


def test_an_equal_workload_raises_the_share_of_its_queue() -> None:
    state = _full()
    for number, taken in ((2, 1), (3, 1), (4, 0)):
        state.submit(workload(f"w{number}", number, "b"))
        assert _taken(state.settle()) == taken


def test_a_withdrawal_raises_the_shares_of_others() -> None:
    state = State(
        policy([queue("a"), queue("b", weight=9), queue("c", priority=200)]),
    )
    state.change_inventory(inventory(4))
    state.submit(workload("runs", 1, "a", count=4, min_count=1))
    state.settle()
    # The requests of c come first, which leaves one GPU to b.
    for number in (2, 3, 4):
        state.submit(workload(f"w{number}", number, "c"))
    state.submit(workload("gang", 5, "b", count=2))
    decisions = state.settle()
    assert _taken(decisions) == 3
    assert "gang: pending (no_node_has_room)" in _texts(decisions)
    # Not the first of its class, which would have a turn anyway.
    state.withdraw("w4")
    assert _texts(state.settle()) == [
        "runs: preempted (fairshare_reclaimed)",
        "gang: pending (waiting_for_preempted)",
    ]


def test_a_hold_gives_the_room_of_a_preempting_workload_to_others() -> None:
    state = State(policy([queue("a", quota=3), queue("b")]))
    state.change_inventory(inventory(3))
    state.submit(workload("runs", 1, "b", gpu=2))
    state.settle()
    state.submit(workload("large", 2, "a", gpu=3))
    assert _texts(state.settle()) == [
        "runs: preempted (fairshare_reclaimed)",
        "large: pending (waiting_for_preempted)",
    ]
    state.submit(workload("small", 3, "b"))
    assert _texts(state.settle()) == ["small: pending (no_node_has_room)"]
    state.hold("a")
    assert _texts(state.settle()) == ["small: admitted (fairshare_started)"]


def _texts(decisions: list[Decision]) -> list[str]:
    return [f"{each.workload}: {each.outcome} ({each.reason})" for each in decisions]
