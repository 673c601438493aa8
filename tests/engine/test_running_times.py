"""The times of running workloads: of the admission, and since when a pod set lacks pods."""

from __future__ import annotations

from dataclasses import replace

import pytest

from console.engine.live.pod_changes import PodGroup
from console.engine.live.snapshot import SnapshotBase
from console.engine.model.decision import Decision, Outcome, Place, PlacedPods, Resize
from console.engine.model.workload import PodSet, Workload
from console.engine.state import State
from tests.engine.builders import World, queue
from tests.engine.placement.worlds import cluster, inventory, policy

Times = tuple[int | None, int | None]

EAST = inventory([cluster("east", {"cpu": 4})])
#: As `EAST`, but it accepts no further pods.
CLOSED = inventory([cluster("east", {"cpu": 4}, is_ready=False)])


def pods(count: int, min_count: int | None = None) -> Workload:
    """Return a workload of *count* pods of one CPU each."""
    pod_set = PodSet(name="main", count=count, min_count=min_count, requests={"cpu": 1000})
    return Workload(id="w1", sequence=1, labels={}, pod_sets=(pod_set,))


def group(count: int) -> PodGroup:
    return PodGroup(pod_set="main", count=count)


def running(workload: Workload, now: int) -> State:
    """Return a state in which *workload* was admitted at *now*, and nothing else has room."""
    state = State(policy())
    state.change_inventory(EAST)
    state.advance(now)
    state.submit(workload)
    (decision,) = state.settle()
    assert (decision.outcome, decision.started, decision.short_since) == (
        Outcome.ADMITTED,
        now,
        None,
    )
    state.change_inventory(CLOSED)
    assert state.settle() == []
    return state


def times(state: State) -> Times:
    found = state.running["w1"]
    return found.started, found.short_since


def resize(state: State, granted: int = 0, taken: int = 0) -> Decision:
    """Grant pods to the workload, and take others."""
    found = state.running["w1"]
    change = Resize(granted=_pods(granted), taken=_pods(taken))
    assert found.reason is not None
    state.resize(found, None, change, found.reason)
    (decision,) = state.take_decisions()
    return decision


def _pods(count: int) -> tuple[PlacedPods, ...]:
    place = Place(count=count, cluster="east", node="n1")
    return (PlacedPods(pod_set="main", place=place),) if count else ()


def test_a_workload_starts_at_the_time_of_its_last_admission() -> None:
    world = World(queue("train").owns(gpu=1).preempts())
    state = world.state
    state.advance(5)
    world.submit("low", gpu=1, priority=1)
    world.settle()
    state.advance(7)
    world.submit("high", gpu=1, priority=2)
    world.settle()
    assert (state.running["low"].started, state.running["low"].evicting) == (5, True)
    state.advance(8)
    state.release("low")
    world.settle()
    state.advance(9)
    state.finish("high")
    world.settle()
    assert [(each.workload.id, each.started) for each in state.running.values()] == [("low", 9)]


def test_a_change_of_the_policy_keeps_the_times() -> None:
    state = running(pods(2), 5)
    state.release_pods("w1", group(1))
    state.advance(9)
    state.change_policy(replace(state.policy))
    state.settle()
    assert times(state) == (5, 5)


def test_workloads_on_a_snapshot_start_at_its_time() -> None:
    world = World(queue("train").owns(gpu=1))
    world.state.advance(5)
    world.submit("one", gpu=1)
    world.submit("two", gpu=1)
    world.settle()
    world.state.advance(6)
    snapshot = SnapshotBase(world.state, "train").snapshot()
    assert snapshot.running["one"].started == 5
    snapshot.finish("one")
    (two,) = world.state.queues["train"].pending.classes.values()
    snapshot.add_pending("train", [two.head])
    snapshot.settle()
    assert snapshot.running["two"].started == 6


@pytest.mark.parametrize(
    ("min_count", "lost", "expected"),
    [(None, 1, 7), (3, 1, None), (3, 2, 7), (1, 4, 7), (0, 4, None)],
)
def test_a_workload_is_short_below_the_minimum_of_a_pod_set(
    min_count: int | None, lost: int, expected: int | None
) -> None:
    state = running(pods(4, min_count), 5)
    state.advance(7)
    assert state.release_pods("w1", group(lost)) == lost
    assert times(state) == (5, expected)


def test_further_losses_keep_the_time_of_the_first_one() -> None:
    state = running(pods(4), 5)
    for now in (7, 9):
        state.advance(now)
        state.release_pods("w1", group(1))
    assert times(state) == (5, 7)


def test_a_workload_is_short_until_a_resize_completes_it() -> None:
    state = running(pods(4, 3), 5)
    state.advance(6)
    state.release_pods("w1", group(3))
    state.settle()
    state.advance(7)
    assert resize(state, granted=1).short_since == 6
    assert resize(state, granted=1).short_since is None
    assert times(state) == (5, None)
    state.advance(8)
    assert resize(state, granted=1, taken=1).short_since is None
    state.advance(9)
    assert resize(state, taken=1).short_since == 9
    # Pods that have to stop do not count, and their release changes nothing.
    state.advance(10)
    state.release_pods("w1", group(1))
    assert times(state) == (5, 9)


def test_finished_pods_do_not_make_a_workload_short() -> None:
    state = running(pods(4, 3), 5)
    state.finish_pods("w1", group(1))
    assert times(state) == (5, None)
    # Two of four pods are lost, which the minimum permits; then one of the others finishes.
    state = running(pods(4, 2), 5)
    state.release_pods("w1", group(2))
    state.advance(7)
    state.finish_pods("w1", group(1))
    assert times(state) == (5, None)


def test_finished_pods_keep_the_time_until_the_rest_is_complete() -> None:
    state = running(pods(4, 3), 5)
    state.release_pods("w1", group(2))
    state.advance(7)
    state.finish_pods("w1", group(1))
    assert times(state) == (5, 5)


@pytest.mark.parametrize(("min_count", "expected"), [(None, 7), (2, None), (3, 7)])
def test_pods_that_are_lost_with_their_node_do_not_run(
    min_count: int | None, expected: int | None
) -> None:
    two = inventory([cluster("east", {"cpu": 2}, {"cpu": 2})])
    state = State(policy())
    state.change_inventory(two)
    state.advance(5)
    state.submit(pods(4, min_count))
    state.settle()
    state.advance(7)
    state.change_inventory(inventory([cluster("east", {"cpu": 2})]))
    assert [each.short_since for each in state.settle()] == [expected]
    assert times(state) == (5, expected)
    # The executor reports one of the two lost pods: none of them runs, as before.
    state.advance(8)
    state.release_pods("w1", PodGroup(pod_set="main", count=1, cluster="east", node="n2"))
    state.settle()
    assert times(state) == (5, expected)
    state.advance(9)
    state.change_inventory(two)
    state.settle()
    assert times(state) == (5, None)


def test_restored_times_are_those_of_the_row() -> None:
    state = running(pods(4), 5)
    found = state.running["w1"]
    again = State(policy(), now=9)
    for started, short_since in ((3, 4), (None, None)):
        again.finish("w1")
        again.restore(
            found.workload,
            queue=found.queue,
            priority=0,
            assignment=found.assignment,
            reservation=1,
            evicting=False,
            started=started,
            short_since=short_since,
        )
        assert times(again) == (started, short_since)
