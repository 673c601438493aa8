"""Another priority of a pending or running workload: its position, and which may preempt it."""

from __future__ import annotations

import pytest

from console.engine.routing.priority_changes import priority_obstacle
from console.engine.routing.router import Router
from tests.engine.builders import World, only, policy, queue, rule, workload


def full() -> World:
    """Return a queue of 4 GPUs in which *old* runs, and two workloads wait."""
    world = World(queue("train").owns(gpu=4).preempts())
    world.submit("old", gpu=4, priority=5).settle()
    world.submit("one", "two", gpu=4, priority=1)
    assert world.settle() == [
        "one: pending (waiting_for_quota)",
        "two: pending (waiting_for_quota)",
    ]
    return world


def test_a_raised_workload_goes_first() -> None:
    world = full()
    assert world.state.change_priority("two", 2)
    assert world.settle() == ["two: pending (waiting_for_quota)"]
    assert world.decisions[0].priority == 2
    world.finish("old")
    assert world.settle() == ["two: admitted on any"]


def test_a_lowered_workload_goes_last_and_an_equal_one_by_submission() -> None:
    world = full()
    assert world.state.change_priority("one", 0)
    world.settle()
    assert world.state.change_priority("one", 1)
    world.settle()
    world.finish("old")
    assert world.settle() == ["one: admitted on any"]


def test_a_raised_workload_preempts() -> None:
    world = full()
    assert world.state.change_priority("two", 6)
    assert world.settle() == ["old: preempted by two", "two: waits for old to stop"]


def test_a_lowered_running_workload_is_preempted() -> None:
    world = full()
    assert world.state.change_priority("old", 0)
    assert world.settle() == ["old: preempted by one", "one: waits for old to stop"]


def test_a_raised_running_workload_is_not_preempted_and_another_stops_instead() -> None:
    world = World(queue("train").owns(gpu=4).preempts())
    world.submit("one", "two", gpu=2).settle()
    assert world.state.change_priority("two", 5)
    assert world.settle() == []
    world.submit("high", gpu=2, priority=3)
    assert world.settle() == ["one: preempted by high", "high: waits for one to stop"]


def test_running_workloads_keep_the_order_of_their_reservations() -> None:
    world = World(queue("train").owns(gpu=3).preempts())
    world.submit("one", gpu=1, priority=1).submit("two", "three", gpu=1).settle()
    assert world.state.change_priority("one", 0)
    world.submit("high", gpu=1, priority=3)
    assert world.settle() == ["three: preempted by high", "high: waits for three to stop"]


def test_a_lowered_preemptor_is_evaluated_again() -> None:
    world = full()
    world.state.change_priority("two", 6)
    world.settle()
    assert world.state.change_priority("two", 1)
    assert world.settle() == ["two: pending (waiting_for_quota)"]
    world.release("old")
    assert world.settle() == ["old: admitted on any"]


def test_a_stopping_workload_returns_with_its_new_priority() -> None:
    world = full()
    world.state.change_priority("two", 6)
    world.settle()
    assert world.state.change_priority("old", 0)
    world.settle()
    world.release("old")
    assert world.settle() == ["two: admitted on any", "old: pending (waiting_for_quota)"]
    assert world.state.pending["old"].priority == 0


def test_a_change_before_the_first_evaluation() -> None:
    world = World(queue("train").owns(gpu=4))
    world.submit("one", "two", gpu=4)
    assert world.state.change_priority("two", 9)
    assert world.settle() == ["two: admitted on any", "one: pending (waiting_for_quota)"]


@pytest.mark.parametrize("name", ["old", "one", "gone"])
def test_the_same_priority_and_ended_workloads_change_nothing(name: str) -> None:
    world = full()
    assert not world.state.change_priority(name, 5 if name == "old" else 1)
    assert world.state.is_settled


RULES = policy(
    queue("train").owns(gpu=4),
    queue("spare").owns(gpu=4),
    rules=[
        rule(0, "train", only(team="a"), maximum=9),
        rule(1, "train", only(team="b"), minimum=2, maximum=9, on_violation="force_update"),
        rule(2, "spare"),
    ],
)


@pytest.mark.parametrize(
    ("team", "priority", "refusal"),
    [
        ("a", 9, None),
        (
            "a",
            10,
            "rule 1 accepts priorities up to 9, not 10",
        ),
        (
            "b",
            1,
            "rule 2 accepts priorities from 2 to 9, not 1",
        ),
        ("c", 1_000, None),
    ],
)
def test_rules_limit_priorities(team: str, priority: int, refusal: str | None) -> None:
    subject = workload("one", labels={"team": team}, priority=3)
    expected = refusal and f"The active config does not allow this priority: {refusal}."
    assert priority_obstacle(Router(RULES).route, subject, priority) == expected


def test_a_change_that_would_route_elsewhere_is_not_applied() -> None:
    world = World(policy_=RULES)
    world.submit("one", labels={"team": "a"}, gpu=8, priority=3).settle()
    assert not world.state.change_priority("one", 10)
    assert world.state.pending["one"].priority == 3
