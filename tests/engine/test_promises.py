"""Room that is being made: promised to the preemptor, and to nobody else."""

from __future__ import annotations

from tests.engine.builders import World, only, policy, queue, rule


def crowded() -> World:
    """Let high wait for low to stop, in a queue of 4 gpu."""
    world = World(queue("train").owns(gpu=4).preempts())
    world.submit("low", gpu=4)
    world.settle()
    world.submit("high", gpu=3, priority=5)
    assert world.settle() == ["low: preempted by high", "high: waits for low to stop"]
    return world


def test_a_preemptor_starts_when_its_victim_has_stopped_and_the_victim_waits_again() -> None:
    world = crowded()
    assert world.standing() == {"high": "pending (waiting_for_preempted)", "low": "stopping"}
    world.release("low")
    assert world.settle() == ["high: admitted on any", "low: pending (waiting_for_quota)"]
    world.finish("high")
    assert world.settle() == ["low: admitted on any"]


def test_a_preempted_workload_keeps_its_place_in_the_order() -> None:
    world = crowded()
    world.submit("young", gpu=4)
    world.settle()
    world.release("low").settle()
    world.finish("high")
    assert world.settle() == ["low: admitted on any"]


def test_promised_room_is_not_taken_while_the_victims_still_run() -> None:
    world = World(queue("train").owns(gpu=4).preempts())
    world.submit("one", "two", gpu=2)
    world.settle()
    world.submit("high", gpu=4, priority=5)
    assert world.settle() == [
        "two: preempted by high",
        "one: preempted by high",
        "high: waits for one and two to stop",
    ]
    world.release("two").submit("small", gpu=1)
    assert world.settle() == [
        "two: pending (behind_others)",
        "small: pending (behind_others)",
    ]
    assert world.free() == "2"
    world.release("one")
    assert world.settle()[0] == "high: admitted on any"


def test_what_the_victims_leave_over_is_promised_to_the_next_in_order() -> None:
    world = crowded()
    world.submit("rest", gpu=1).submit("more", gpu=1)
    assert world.settle() == ["rest: waits for others to stop", "more: pending (waiting_for_quota)"]
    world.release("low")
    assert world.settle()[:2] == ["high: admitted on any", "rest: admitted on any"]


def test_who_waits_for_others_to_stop_is_not_overtaken_by_lower_priority() -> None:
    world = World(queue("train").owns(gpu=5).preempts())
    world.submit("low", gpu=4)
    world.settle()
    world.submit("high", gpu=3, priority=5)
    world.settle()
    world.submit("middle", gpu=2, priority=3)
    assert world.settle() == ["middle: waits for others to stop"]
    world.submit("late", gpu=1)
    assert world.settle() == ["late: pending (behind_others)"]
    world.release("low")
    assert world.settle() == [
        "high: admitted on any",
        "middle: admitted on any",
        "low: pending (waiting_for_quota)",
    ]


def test_a_class_that_fits_beside_the_replacement_is_looked_at_again() -> None:
    world = World(queue("train").owns(gpu=5).preempts())
    world.submit("big", gpu=4, priority=5)
    world.settle()
    world.submit("equal", gpu=3, priority=5)
    assert world.settle() == ["equal: pending (waiting_for_quota)"]
    world.submit("top", gpu=2, priority=9)
    assert world.settle() == [
        "big: preempted by top",
        "top: waits for big to stop",
        "equal: waits for others to stop",
    ]


def test_the_preemptor_withdraws_and_the_victims_room_goes_to_the_next() -> None:
    world = crowded()
    world.submit("next", gpu=4, priority=2)
    assert world.settle() == ["next: pending (waiting_for_quota)"]
    assert world.state.withdraw("high")
    assert world.settle() == ["next: waits for others to stop"]
    world.release("low")
    assert world.settle() == ["next: admitted on any", "low: pending (waiting_for_quota)"]


def test_the_preemptor_withdraws_and_the_victim_may_come_back_at_once() -> None:
    world = crowded()
    assert world.state.withdraw("high")
    assert world.settle() == []
    world.release("low")
    assert world.settle() == ["low: admitted on any"]


def test_a_victim_that_finishes_instead_of_being_released_makes_the_same_room() -> None:
    world = crowded()
    world.finish("low")
    assert world.settle() == ["high: admitted on any"]


def test_somebody_else_ends_and_the_preemptor_starts_before_its_victim_has_stopped() -> None:
    world = World(queue("train").owns(gpu=4).preempts())
    world.submit("firm", gpu=2, priority=9).submit("low", gpu=2)
    world.settle()
    world.submit("high", gpu=2, priority=5)
    assert world.settle() == ["low: preempted by high", "high: waits for low to stop"]
    world.finish("firm")
    assert world.settle() == ["high: admitted on any"]
    world.release("low")
    assert world.settle() == ["low: admitted on any"]


def test_a_higher_preemptor_takes_room_that_comes_first_and_the_other_promise_holds() -> None:
    """Both wait for a victim each; the victim of the lower one stops first."""
    world = World(queue("train").owns(gpu=6).preempts())
    world.submit("four", gpu=4).submit("two", gpu=2)
    world.settle()
    world.submit("high", gpu=4, priority=10)
    assert world.settle() == ["four: preempted by high", "high: waits for four to stop"]
    world.submit("top", gpu=2, priority=20)
    assert world.settle() == ["two: preempted by top", "top: waits for two to stop"]
    world.submit("late", gpu=1)
    world.settle()
    world.release("four")
    assert world.settle() == ["top: admitted on any", "four: pending (waiting_for_quota)"]
    assert world.standing()["late"] == "pending (behind_others)"
    world.release("two")
    assert world.settle()[0] == "high: admitted on any"


def test_a_preemptor_finds_free_room_that_is_promised_and_takes_it_in_order() -> None:
    world = World(queue("train").owns(gpu=4).preempts())
    world.submit("three", gpu=3)
    world.settle()
    world.submit("one", gpu=1, priority=1)
    world.settle()
    world.submit("high", gpu=3, priority=5)
    assert world.settle() == ["three: preempted by high", "high: waits for three to stop"]
    world.finish("one")
    world.submit("top", gpu=1, priority=9)
    assert world.settle() == ["top: admitted on any"]


def test_a_hold_keeps_the_promise_and_starts_nobody() -> None:
    world = crowded()
    world.state.hold("train")
    world.settle()
    assert world.standing()["high"] == "pending (queue_held)"
    world.release("low")
    assert world.settle() == ["low: pending (queue_held)"]
    world.state.resume("train")
    assert world.settle() == ["high: admitted on any"]
    assert world.standing()["low"] == "pending (waiting_for_quota)"


def test_hold_and_resume_in_between_change_nothing() -> None:
    world = crowded()
    world.state.hold("train")
    world.settle()
    world.state.resume("train")
    assert world.settle() == []
    world.release("low")
    assert world.settle()[0] == "high: admitted on any"


def test_a_promise_survives_a_policy_that_still_routes_alike() -> None:
    world = crowded()
    world.apply(queue("serve").owns(gpu=1), queue("train").owns(gpu=4).preempts())
    assert world.settle() == []
    world.release("low")
    assert world.settle()[0] == "high: admitted on any"


def test_a_promise_ends_where_the_policy_routes_elsewhere() -> None:
    world = crowded()
    policy_ = policy(
        queue("train").owns(gpu=4).preempts(),
        queue("other").owns("o", gpu=9),
        rules=[rule(0, "other")],
    )
    world.apply(policy_=policy_)
    assert world.settle() == ["high: admitted on o"]
    world.release("low")
    assert world.settle() == ["low: admitted on o"]


def test_a_promise_ends_where_the_new_policy_cuts_its_quota() -> None:
    world = crowded()
    world.apply(queue("train").owns(gpu=2).preempts())
    assert world.settle() == ["high: pending (exceeds_max_quota)"]
    world.release("low")
    assert world.settle() == ["low: pending (exceeds_max_quota)"]


def test_a_promise_ends_where_its_flavor_no_longer_accepts() -> None:
    world = crowded()
    policy_ = policy(queue("train").owns(gpu=4).preempts(), flavors={"any": only(team="somebody")})
    world.apply(policy_=policy_)
    assert world.settle() == ["high: rejected (no_flavor_matched)"]


def test_nobody_is_told_to_stop_twice() -> None:
    world = crowded()
    world.submit("higher", gpu=4, priority=9)
    assert world.settle() == ["higher: pending (waiting_for_quota)"]
    world.release("low")
    assert world.settle()[:3] == [
        "high: admitted on any",
        "high: preempted by higher",
        "higher: waits for high to stop",
    ]


def test_who_starts_by_a_promise_may_be_stopped_by_who_waited_meanwhile() -> None:
    world = World(queue("train").owns("a", gpu=2).and_apart().owns("c", cpu=1).preempts())
    world.submit("firm", gpu=1, priority=9).submit("low", cpu=1)
    world.settle()
    world.submit("middle", gpu=1, cpu=1, priority=2)
    assert world.settle() == ["low: preempted by middle", "middle: waits for low to stop"]
    world.submit("high", gpu=1, priority=3)
    assert world.settle() == ["high: pending (behind_others)"]
    world.release("low")
    assert world.settle()[:3] == [
        "middle: admitted on a and c",
        "middle: preempted by high",
        "high: waits for middle to stop",
    ]
