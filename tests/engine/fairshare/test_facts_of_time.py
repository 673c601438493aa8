"""Facts of time in live states of the discipline: past usage, and the times of workloads."""

from __future__ import annotations

from dataclasses import replace

import pytest

from console.engine.disciplines.fairshare.discipline import DISCIPLINE
from console.engine.disciplines.fairshare.live_world import world_of
from console.engine.disciplines.fairshare.reasons import PODS_LOST, STALE_GANG
from console.engine.disciplines.fairshare.spec import POOL, FairshareSpec, UsageWindow
from console.engine.live.pod_changes import PodGroup
from console.engine.model.decision import Outcome, Place, Resize
from console.engine.model.inventory import Inventory, Node
from console.engine.model.usage_history import RecordedUsage, UsageHistory, UsageRange
from console.engine.state import State
from tests.engine.fairshare.live import inventory, policy, queue, workload

HISTORY = UsageHistory(measured_at=10_000, parts={"a": {"gpu": 0.5}})


def test_a_measurement_gives_every_queue_a_turn() -> None:
    state = State(policy([queue("a"), queue("b")], usage_window=UsageWindow(length=60_000)))
    state.advance(10_000)
    assert (state.reads_usage_history, state.settle()) == (True, [])
    state.change_usage_history(HISTORY)
    assert not state.is_settled
    state.settle()
    assert (state.usage_history, state.is_settled) == (HISTORY, True)
    state.change_policy(policy([queue("a")]))
    assert (state.reads_usage_history, state.usage_history) == (False, None)


def test_usage_is_measured_in_the_window_of_the_policy() -> None:
    decaying = policy([queue("a")], usage_window=UsageWindow(length=60_000, half_life=5_000))
    even = policy([queue("a")], usage_window=UsageWindow(length=60_000))
    assert DISCIPLINE.usage_range(decaying, 70_000) == UsageRange(since=10_000, is_even=False)
    assert DISCIPLINE.usage_range(even, 70_000) == UsageRange(since=10_000)
    assert DISCIPLINE.usage_range(policy([queue("a")]), 70_000) is None
    recorded = RecordedUsage(
        begin=0,
        end=60_000,
        minutes=1,
        used={"a": {(POOL, "gpu"): 1000}},
        offered={("c", "gpu"): 4000},
    )
    assert DISCIPLINE.measure_usage(even, 70_000, [recorded]) == {"a": {"gpu": 0.25}}


def test_pods_on_a_lost_node_do_not_run() -> None:
    state = State(policy([queue("a")]))
    state.change_inventory(inventory(1, 1))
    state.advance(5_000)
    state.submit(workload("w", 1, "a", count=2))
    state.settle()
    assert (state.running["w"].started, state.running["w"].short_since) == (5_000, None)
    for now, nodes, short_since in ((6_000, (1,), 6_000), (7_000, (1, 1), None)):
        state.advance(now)
        state.change_inventory(inventory(*nodes))
        state.resize(state.running["w"], None, Resize(), PODS_LOST)
        assert (state.running["w"].started, state.running["w"].short_since) == (5_000, short_since)


@pytest.mark.parametrize(
    ("cluster", "node", "is_lost"),
    [("config", "n1", False), ("config", "n2", True), ("c", "n1", True), (None, None, False)],
)
def test_nodes_of_the_text_exist_while_there_is_no_cluster(
    cluster: str | None, node: str | None, is_lost: bool
) -> None:
    spec = FairshareSpec(nodes={"n1": Node(name="n1")})
    declared = replace(policy([queue("a")]), spec=spec)
    place = Place(count=1, cluster=cluster, node=node)
    assert DISCIPLINE.is_lost(declared, Inventory(), place) is is_lost
    if cluster == "config":
        assert DISCIPLINE.is_lost(declared, inventory(1), place)


def test_the_usage_of_a_parent_is_the_recorded_one() -> None:
    """Parents are recorded with the usage below them, which must not count twice."""
    queues = [
        queue("left", weight=1),
        queue("right", weight=1),
        queue("a", "left", weight=1),
        queue("b", "right", weight=1),
    ]
    state = State(policy(queues, usage_window=UsageWindow(length=60_000)))
    state.change_inventory(inventory(8))
    for number, name in enumerate("ab", 1):
        state.submit(workload(name, number, name, gpu=8))
    state.advance(10_000)
    state.change_usage_history(
        UsageHistory(
            measured_at=10_000,
            parts={"left": {"gpu": 0.6}, "a": {"gpu": 0.6}, "right": {"gpu": 0.2}},
        )
    )
    state.settle()
    standings = world_of(state).open(state).standings
    # Of weights 1/2 each: 1/2 + (1/2 - 0.6) and 1/2 + (1/2 - 0.2), which is 1 to 2.
    assert [standings[name].fair_share.gpu for name in ("left", "right")] == [3_000, 5_000]


def gang(now: int, **settings: int) -> State:
    """Return a state in which one of the three pods of a gang has been lost at *now*."""
    state = State(policy([queue("a")], **settings))
    state.change_inventory(inventory(1, 1, 1))
    state.submit(workload("w", 1, "a", count=3))
    state.settle()
    state.advance(now)
    state.change_inventory(inventory(1, 1))
    (decision,) = state.settle()
    assert (decision.outcome, decision.reason) == (Outcome.RESIZED, PODS_LOST)
    return state


def test_a_gang_is_evicted_after_the_period_of_grace() -> None:
    state = gang(1_000, stale_grace=5_000)
    assert state.next_wakeup == 6_000
    state.advance(5_999)
    assert state.settle() == []
    state.advance(6_000)
    (decision,) = state.settle()
    assert (decision.outcome, decision.reason) == (Outcome.PREEMPTED, STALE_GANG)
    assert state.next_wakeup is None


def test_a_gang_stays_without_a_grace() -> None:
    state = gang(1_000, stale_grace=-1)
    state.advance(1_000_000)
    assert (state.settle(), state.next_wakeup) == ([], None)


def test_a_gang_with_finished_pods_stays() -> None:
    state = gang(1_000, stale_grace=5_000)
    # The lost pod gets no place meanwhile.
    state.hold("a")
    assert state.finish_pods("w", PodGroup(pod_set="main", count=1, node="n0")) == 1
    assert state.running["w"].short_since == 1_000
    state.advance(1_000_000)
    assert state.settle() == []
    assert not state.running["w"].evicting
