"""Deactivated workloads get no turn; a workload that has used up its run time is deactivated."""

from __future__ import annotations

import pytest

from console.engine.live.run_times import run_time_end
from console.engine.model.common_reasons import DEACTIVATED, RUN_TIME_USED_UP
from console.engine.model.decision import Outcome
from console.engine.model.run_time import read_run_time
from tests.engine.builders import World, policy, queue


def full() -> World:
    """Return a queue of 4 GPUs in which *one* runs, and *two* and *three* wait."""
    world = World(queue("train").owns(gpu=4).preempts())
    world.submit("one", "two", "three", gpu=4)
    assert world.settle() == [
        "one: admitted on any",
        "two: pending (waiting_for_quota)",
        "three: pending (waiting_for_quota)",
    ]
    return world


def test_a_deactivated_pending_workload_gets_no_turn_until_it_is_activated() -> None:
    world = full()
    assert world.state.deactivate("two")
    assert world.settle() == ["two: pending (deactivated)"]
    world.finish("one")
    assert world.settle() == ["three: admitted on any"]
    world.finish("three")
    assert world.settle() == []
    assert world.state.activate("two")
    assert world.settle() == ["two: admitted on any"]


def test_a_running_workload_stops_and_keeps_its_quota_until_its_release() -> None:
    world = full()
    assert world.state.deactivate("one")
    assert world.settle() == ["one: stopped (deactivated_while_running)"]
    assert world.decisions[0].inactive is DEACTIVATED
    assert world.free() == "0"
    world.release("one")
    assert world.settle() == ["two: admitted on any", "one: pending (deactivated)"]


def test_a_workload_that_is_activated_while_it_stops_waits_after_its_release() -> None:
    world = full()
    world.state.deactivate("one")
    world.settle()
    assert world.state.activate("one")
    assert world.settle() == []
    world.release("one")
    assert world.settle() == ["one: admitted on any"]


def test_a_second_deactivation_or_activation_changes_nothing() -> None:
    world = full()
    assert not world.state.activate("one")
    assert not world.state.activate("two")
    assert world.state.deactivate("one")
    assert world.state.deactivate("two")
    assert not world.state.deactivate("one")
    assert not world.state.deactivate("two")
    assert not world.state.deactivate("unknown")
    assert not world.state.activate("unknown")


def test_a_deactivated_workload_is_not_in_the_order_and_blocks_no_strict_queue() -> None:
    world = World(queue("train").owns(gpu=4).strict())
    world.submit("one", "two", "three", gpu=4).settle()
    world.state.deactivate("two")
    world.settle()
    pending = world.state.queue("train").pending
    assert pending.position(world.state.pending["two"]) is None
    assert pending.position(world.state.pending["three"]) == 1
    world.finish("one")
    assert world.settle() == ["three: admitted on any"]


def test_a_hold_does_not_hide_that_a_workload_is_deactivated() -> None:
    world = full()
    world.state.deactivate("two")
    world.settle()
    running = {"one": "admitted on any", "two": "pending (deactivated)"}
    world.hold("train").settle()
    assert world.outcomes() == {**running, "three": "pending (queue_held)"}
    world.resume("train").settle()
    assert world.outcomes() == {**running, "three": "pending (waiting_for_quota)"}


def test_a_deactivated_preemptor_leaves_its_victims_to_others() -> None:
    world = full()
    world.submit("high", gpu=4, priority=5)
    assert world.settle() == ["one: preempted by high", "high: waits for one to stop"]
    world.state.deactivate("high")
    assert world.settle() == ["high: pending (deactivated)"]
    world.release("one")
    assert world.settle() == ["one: admitted on any"]


def test_a_deactivated_victim_does_not_wait_for_another_turn() -> None:
    world = full()
    world.submit("high", gpu=4, priority=5).settle()
    world.state.deactivate("one")
    assert world.settle() == []
    world.release("one")
    assert world.settle() == ["high: admitted on any", "one: pending (deactivated)"]


def test_a_workload_without_a_queue_is_deactivated_like_any_other() -> None:
    world = World(policy_=policy(rules=()))
    world.submit("one").settle()
    world.state.deactivate("one")
    assert world.settle() == ["one: stopped (deactivated_while_running)"]
    world.release("one")
    assert world.settle() == ["one: pending (deactivated)"]
    world.state.activate("one")
    assert world.settle() == ["one: admitted"]


def test_another_policy_does_not_activate() -> None:
    world = full()
    world.state.deactivate("two")
    world.settle()
    world.apply(queue("train").owns(gpu=8))
    assert world.settle() == ["three: admitted on any"]
    assert world.outcomes()["two"] == "pending (deactivated)"


def test_a_workload_runs_for_its_maximum_run_time() -> None:
    world = World(queue("train").owns(gpu=4))
    world.state.advance(1_000)
    world.submit("one", gpu=4, max_run_time=500).submit("two", gpu=4).settle()
    assert world.state.next_wakeup == 1_500
    world.state.advance(1_499)
    assert world.state.is_settled
    assert world.settle() == []
    world.state.advance(1_500)
    assert not world.state.is_settled
    assert world.settle() == ["one: stopped (run_time_exceeded)"]
    assert world.decisions[0].inactive is RUN_TIME_USED_UP
    assert world.state.next_wakeup is None
    world.release("one")
    assert world.settle() == ["two: admitted on any", "one: pending (run_time_used_up)"]
    assert world.state.explain("one").outcome.outcome is Outcome.PENDING


def test_earlier_runs_count_until_the_workload_is_deactivated() -> None:
    world = World(queue("train").owns(gpu=4).preempts())
    world.submit("one", gpu=4, max_run_time=500).settle()
    world.state.advance(300)
    world.submit("high", gpu=4, priority=5).settle()
    world.state.advance(400)
    world.release("one").finish("high").settle()
    running = world.state.running["one"]
    assert (running.workload.past_run_time, run_time_end(world.policy, running)) == (400, 500)
    world.state.advance(500)
    assert world.settle() == ["one: stopped (run_time_exceeded)"]
    world.release("one").settle()
    world.state.activate("one")
    world.settle()
    assert run_time_end(world.policy, world.state.running["one"]) == 1_000


def test_the_run_time_begins_anew_after_every_deactivation() -> None:
    world = World(queue("train").owns(gpu=4).preempts())
    world.submit("one", gpu=4, max_run_time=500).settle()
    world.state.advance(500)
    assert world.settle() == ["one: stopped (run_time_exceeded)"]
    # Activated while it is stopping, it does not stop at once after its next start.
    world.state.activate("one")
    world.release("one")
    assert world.settle() == ["one: admitted on any"]
    assert run_time_end(world.policy, world.state.running["one"]) == 1_000
    # Deactivated while it is pending after a preemption.
    world.state.advance(700)
    world.submit("high", gpu=4, priority=5).settle()
    world.release("one").settle()
    assert world.state.pending["one"].workload.past_run_time == 200
    world.state.deactivate("one")
    world.settle()
    world.state.activate("one")
    world.finish("high").settle()
    assert run_time_end(world.policy, world.state.running["one"]) == 1_200


def test_a_finished_workload_has_no_end_of_its_run_time() -> None:
    world = World(queue("train").owns(gpu=4))
    world.submit("one", "two", gpu=1, max_run_time=500).settle()
    world.state.advance(100)
    world.finish("one")
    world.submit("three", gpu=1, max_run_time=50).settle()
    assert world.state.next_wakeup == 150
    world.withdraw("three").settle()
    assert world.state.next_wakeup == 500
    world.finish("two")
    assert world.state.next_wakeup is None


def test_a_label_of_the_policy_sets_the_maximum_run_time() -> None:
    world = World(policy_=policy(queue("train").owns(gpu=4), run_time_label="seconds"))
    world.submit("one", gpu=1, labels={"seconds": "2"})
    world.submit("two", gpu=1, labels={"seconds": "9"}, max_run_time=3_000)
    world.submit("three", gpu=1, labels={"seconds": "soon"}).settle()
    ends = {uid: run_time_end(world.policy, each) for uid, each in world.state.running.items()}
    assert ends == {"one": 2_000, "two": 3_000, "three": None}
    world.apply(queue("train").owns(gpu=4))
    assert world.state.next_wakeup == 3_000


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("1", 1_000),
        ("007", 7_000),
        ("2147483647", 2_147_483_647_000),
        ("2147483648", None),
        ("0", None),
        ("-1", None),
        ("1.5", None),
        ("", None),
        ("٣", None),
        ("9" * 5_000, None),
    ],
)
def test_label_values_are_whole_seconds(text: str, milliseconds: int | None) -> None:
    assert read_run_time(text) == milliseconds
