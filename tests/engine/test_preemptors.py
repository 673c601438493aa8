"""Waiting preemptors claim the quota of their victims, and are nominated next."""

from __future__ import annotations

import pytest

from console.engine.disciplines.quota.spec import FungibilityPolicy
from console.engine.model.decision import Decision
from console.engine.model.policy import StopPolicy
from console.engine.model.trace import TurnStep, TurnVerdict
from tests.engine.builders import (
    ANY,
    FAIR,
    LOWER_OR_NEWER,
    World,
    only,
    policy,
    queue,
    rule,
)


def crowded() -> World:
    """Return a queue of 4 GPUs in which *high* waits for *low* to stop."""
    world = World(queue("train").owns(gpu=4).preempts())
    world.submit("low", gpu=4)
    world.settle()
    world.submit("high", gpu=3, priority=5)
    assert world.settle() == ["low: preempted by high", "high: waits for low to stop"]
    return world


def test_a_preemptor_starts_when_its_victim_has_stopped_and_the_victim_waits_again() -> None:
    world = crowded()
    assert world.waiting_for_others() == {"high": {"low"}}
    assert world.outcomes() == {"high": "pending (waiting_for_preempted)", "low": "stopping"}
    world.release("low")
    assert world.settle() == ["high: admitted on any", "low: pending (waiting_for_quota)"]
    assert world.waiting_for_others() == {}
    world.finish("high")
    assert world.settle() == ["low: admitted on any"]


def test_its_decision_says_whom_it_waits_for_and_is_alone_in_its_class() -> None:
    world = crowded()
    decision = world.decisions[1]
    assert (decision.victims, decision.pending_class) == (("low",), "preemptor-high")
    assert decision.trace.outcome.victims == ("low",)
    assert world.decisions[0].preemptor == "high"


def test_a_preempted_workload_keeps_its_place_in_the_order() -> None:
    world = crowded()
    world.submit("young", gpu=4)
    world.settle()
    world.release("low").settle()
    world.finish("high")
    assert world.settle() == ["low: admitted on any"]


def test_its_room_is_claimed_while_a_victim_is_slow_and_others_come_and_go() -> None:
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
    world.submit("smaller", gpu=1, priority=3)
    assert world.settle() == ["smaller: pending (behind_others)"]
    world.withdraw("smaller").settle()
    assert world.waiting_for_others() == {"high": {"one"}}
    world.release("one")
    assert world.settle()[0] == "high: admitted on any"


def test_it_does_not_take_the_turn_of_its_queue() -> None:
    world = World(queue("train").owns("a", gpu=4).new_group().owns("b", cpu=2).preempts())
    world.submit("low", gpu=4)
    world.settle()
    world.submit("high", gpu=4, priority=5)
    world.settle()
    world.submit("other", cpu=1)
    assert world.settle() == ["other: admitted on b"]


def test_what_the_victims_leave_over_goes_to_the_next_in_order() -> None:
    world = crowded()
    world.submit("rest", gpu=1).submit("more", gpu=1)
    assert world.settle() == [
        "rest: pending (waiting_for_quota)",
        "more: pending (waiting_for_quota)",
    ]
    world.release("low")
    assert world.settle() == [
        "high: admitted on any",
        "rest: admitted on any",
        "low: pending (waiting_for_quota)",
    ]


def test_another_may_wait_for_what_the_same_victim_leaves_over() -> None:
    world = crowded()
    world.submit("next", gpu=1, priority=4)
    assert world.settle() == ["next: waits for low to stop"]
    assert world.waiting_for_others() == {"high": {"low"}, "next": {"low"}}
    world.release("low")
    assert world.settle() == [
        "high: admitted on any",
        "next: admitted on any",
        "low: pending (waiting_for_quota)",
    ]


def test_a_higher_one_takes_the_room_that_comes_and_the_other_looks_for_more() -> None:
    world = World(queue("train").owns(gpu=4).preempts())
    world.submit("one", "two", gpu=2)
    world.settle()
    world.submit("high", gpu=2, priority=5)
    assert world.settle() == ["two: preempted by high", "high: waits for two to stop"]
    world.submit("top", gpu=2, priority=9)
    assert world.settle() == [
        "top: waits for two to stop",
        "one: preempted by high",
        "high: waits for one to stop",
    ]
    world.release("two")
    assert world.settle() == ["top: admitted on any", "two: pending (waiting_for_quota)"]
    world.release("one")
    assert world.settle() == ["high: admitted on any", "one: pending (waiting_for_quota)"]


def test_at_rest_nobody_remembers_to_have_looked_in_vain() -> None:
    world = World(queue("train").owns(gpu=4).preempts())
    world.submit("firm", gpu=2, priority=9).submit("low", gpu=2)
    world.settle()
    world.submit("high", gpu=2, priority=5)
    assert world.settle() == ["low: preempted by high", "high: waits for low to stop"]
    world.submit("top", gpu=2, priority=8)
    assert world.settle() == ["top: waits for low to stop"]
    waiting = world.state.preemptors_in("train")
    assert [(each.pending.workload.id, each.failed_nomination) for each in waiting] == [
        ("top", None),
        ("high", None),
    ]
    world.release("low")
    assert world.settle()[0] == "top: admitted on any"


def test_somebody_else_ends_and_it_starts_before_its_victim_has_stopped() -> None:
    world = World(queue("train").owns(gpu=4).preempts())
    world.submit("firm", gpu=2, priority=9).submit("low", gpu=2)
    world.settle()
    world.submit("high", gpu=2, priority=5)
    assert world.settle() == ["low: preempted by high", "high: waits for low to stop"]
    world.finish("firm")
    assert world.settle() == ["high: admitted on any"]
    world.release("low")
    assert world.settle() == ["low: admitted on any"]


def test_it_withdraws_and_its_claim_goes_to_the_next() -> None:
    world = crowded()
    world.submit("next", gpu=4, priority=2)
    assert world.settle() == ["next: pending (waiting_for_quota)"]
    world.withdraw("high")
    assert world.settle() == ["next: waits for low to stop"]
    world.release("low")
    assert world.settle() == ["next: admitted on any", "low: pending (waiting_for_quota)"]


def test_it_withdraws_and_its_victim_may_come_back_at_once() -> None:
    world = crowded()
    world.withdraw("high")
    assert world.settle() == []
    world.release("low")
    assert world.settle() == ["low: admitted on any"]


@pytest.mark.parametrize("ending", ["finish", "withdraw"])
def test_a_victim_that_ends_makes_the_same_room(ending: str) -> None:
    world = crowded()
    getattr(world, ending)("low")
    said = ["low: withdrawn while running"] if ending == "withdraw" else []
    assert world.settle() == [*said, "high: admitted on any"]


def test_a_hold_keeps_the_victims_stopping_and_starts_nobody() -> None:
    world = crowded()
    world.hold("train").settle()
    assert world.outcomes() == {"high": "pending (queue_held)", "low": "stopping"}
    world.release("low")
    assert world.settle() == ["low: pending (queue_held)", "high: pending (queue_held)"]
    world.resume("train")
    assert world.settle() == ["high: admitted on any"]
    assert world.outcomes()["low"] == "pending (waiting_for_quota)"


def test_hold_and_resume_in_between_change_nothing() -> None:
    world = crowded()
    world.hold("train").settle()
    world.resume("train")
    assert world.settle() == []
    assert world.waiting_for_others() == {"high": {"low"}}
    world.release("low")
    assert world.settle()[0] == "high: admitted on any"


def test_a_hold_gives_what_it_claimed_to_other_queues() -> None:
    world = World(
        queue("train").owns(gpu=4).preempts().within("ml"), queue("eval").owns(gpu=0).within("ml")
    )
    world.submit("one", "two", gpu=2)
    world.settle()
    world.submit("high", gpu=4, priority=5)
    world.settle()
    world.release("two")
    world.submit("guest", to="eval", gpu=2, priority=9)
    assert world.settle() == [
        "two: pending (behind_others)",
        "guest: pending (behind_others)",
    ]
    world.hold("train")
    assert world.settle() == ["guest: admitted on any"]


def test_a_policy_that_still_routes_alike_changes_nothing() -> None:
    world = crowded()
    world.apply(queue("serve").owns(gpu=1), queue("train").owns(gpu=4).preempts())
    assert world.settle() == []
    assert world.waiting_for_others() == {"high": {"low"}}
    world.release("low")
    assert world.settle()[0] == "high: admitted on any"


def test_it_starts_elsewhere_where_the_policy_routes_it_elsewhere() -> None:
    world = crowded()
    world.apply(
        policy_=policy(
            queue("train").owns(gpu=4).preempts(),
            queue("other").owns("o", gpu=9),
            rules=[rule(0, "other")],
        )
    )
    assert world.settle() == ["high: admitted on o"]
    world.release("low")
    assert world.settle() == ["low: admitted on o"]


def test_it_waits_for_nobody_where_the_new_policy_cuts_its_quota() -> None:
    world = crowded()
    world.apply(queue("train").owns(gpu=2).preempts())
    assert world.settle() == ["high: pending (exceeds_max_quota)"]
    world.release("low")
    assert world.settle() == ["low: pending (exceeds_max_quota)"]


def test_it_is_rejected_where_its_flavor_no_longer_accepts() -> None:
    world = crowded()
    policy_ = policy(queue("train").owns(gpu=4).preempts(), flavors={"any": only(team="somebody")})
    world.apply(policy_=policy_)
    assert world.settle() == ["high: rejected (no_flavor_matched)"]


def test_a_policy_that_stops_its_queue_lets_it_wait_with_the_others() -> None:
    world = crowded()
    world.apply(queue("train").owns(gpu=4).preempts().stopped(StopPolicy.HOLD))
    assert world.settle() == []
    assert world.outcomes() == {"high": "pending (queue_stopped)", "low": "stopping"}
    world.release("low")
    assert sorted(world.settle()) == [
        "high: pending (queue_stopped)",
        "low: pending (queue_stopped)",
    ]


def test_in_a_strict_queue_it_keeps_everybody_behind_it_waiting() -> None:
    world = World(queue("train").owns("a", gpu=4).new_group().owns("b", cpu=2).preempts().strict())
    world.submit("low", gpu=4)
    world.settle()
    world.submit("high", gpu=4, priority=5)
    world.settle()
    world.submit("other", cpu=1)
    assert world.settle() == ["other: pending (behind_others)"]
    world.release("low")
    # The victim keeps its position, which is before *other*.
    assert world.settle() == ["high: admitted on a", "low: pending (waiting_for_quota)"]
    world.finish("high")
    assert world.settle() == ["low: admitted on a", "other: admitted on b"]


def test_in_a_strict_queue_a_higher_one_goes_before_it() -> None:
    world = World(queue("train").owns(gpu=4).preempts().strict())
    world.submit("low", gpu=4)
    world.settle()
    world.submit("high", gpu=4, priority=5)
    world.settle()
    world.submit("top", gpu=4, priority=9)
    assert world.settle() == ["top: waits for low to stop"]
    world.release("low")
    assert world.settle()[0] == "top: admitted on any"
    assert world.outcomes()["high"] == "pending (waiting_for_quota)"


def test_those_that_wait_for_the_same_one_go_in_the_order_of_their_line() -> None:
    world = World(queue("train").owns(gpu=4).preempts())
    world.submit("victim", gpu=4)
    world.settle()
    world.hold("train").submit("low", gpu=2, priority=5).submit("top", gpu=2, priority=9).settle()
    world.resume("train")
    assert world.settle() == [
        "victim: preempted by top",
        "top: waits for victim to stop",
        "low: waits for victim to stop",
    ]
    world.release("victim")
    assert world.settle() == [
        "top: admitted on any",
        "low: admitted on any",
        "victim: pending (waiting_for_quota)",
    ]


def test_who_was_stopped_twice_for_the_same_one_lets_it_go_first() -> None:
    """
    Without this rule, *p* and *v* would take each other's quota forever.

    *p* lacks nominal quota of its own queue, so it may preempt *v*; but its queue borrows the
    other resource and has weight 0, so *v* comes first in every cycle.
    """
    world = World(
        queue("own")
        .owns("f", cpu=4)
        .new_group()
        .owns("g", gpu=1)
        .within("ml")
        .reclaims(ANY)
        .fair_weight(0),
        queue("rest").owns("f", cpu=0).new_group().owns("g", gpu=2).within("ml"),
        fair=FAIR,
    )
    world.submit("v", to="rest", cpu=4)
    world.settle()
    world.submit("p", cpu=2, gpu=2)
    assert world.settle() == ["v: reclaimed by p", "p: waits for v to stop"]
    world.release("v")
    assert world.settle() == [
        "v: admitted on f",
        "v: reclaimed by p",
        "p: waits for v to stop",
    ]
    first, second = world.decisions[1].stopped_for["p"]
    assert first == second
    assert world.waiting_for_others("own") == {"p": {"v"}}
    world.release("v")
    assert world.settle()[-2:] == ["p: admitted on f and g", "v: pending (waiting_for_quota)"]
    world.finish("p")
    assert world.settle() == ["v: admitted on f"]


def times_stopped(decision: Decision) -> dict[str, int]:
    return {uid: len(told) for uid, told in decision.stopped_for.items()}


def test_it_is_remembered_for_whom_one_was_stopped_while_that_one_runs() -> None:
    """The preemptor may be preempted in turn, and preempt again."""
    world = World(queue("train").owns(gpu=1).preempts())
    for name, priority in (("low", 0), ("middle", 5)):
        world.submit(name, gpu=1, priority=priority)
        world.settle()
    world.release("low").settle()
    world.apply(queue("train").owns(gpu=2).preempts())
    assert world.settle() == ["low: admitted on any"]
    world.submit("high", gpu=1, priority=9)
    assert world.settle()[0] == "low: preempted by high"
    assert times_stopped(world.decisions[0]) == {"middle": 1, "high": 1}
    world.release("low").settle()
    world.finish("middle")
    assert world.settle() == ["low: admitted on any"]
    world.submit("last", gpu=1, priority=5)
    assert world.settle()[0] == "low: preempted by last"
    assert times_stopped(world.decisions[0]) == {"high": 1, "last": 1}


def test_it_is_told_of_its_new_queue_when_victims_of_a_queue_that_is_gone_have_stopped() -> None:
    world = crowded()
    world.apply(queue("other").owns(gpu=2).stopped(StopPolicy.HOLD), rules=[rule(0, "other")])
    world.settle()
    world.release("low")
    assert sorted(world.settle()) == [
        "high: pending (queue_stopped)",
        "low: pending (queue_stopped)",
    ]


def test_it_looks_at_every_flavor_again_when_its_victims_have_stopped() -> None:
    """
    Saved flavor positions of waiting cycles say nothing about the freed quota.

    *small* reserves quota in its cycles, so the last nomination of *high* finds nothing after
    its search had stopped at the first flavor.
    """
    world = World(
        queue("train")
        .owns("h100", gpu=6)
        .owns("a100", gpu=1)
        .within("ml")
        .preempts(LOWER_OR_NEWER)
        .fungibility(preempt=FungibilityPolicy.MAY_STOP),
        fair=FAIR,
    )
    world.submit("low", gpu=5)
    world.submit("small", gpu=2)
    assert world.settle() == ["low: admitted on h100", "small: pending (waiting_for_quota)"]
    world.submit("high", gpu=6, priority=4)
    assert world.settle() == ["low: preempted by high", "high: waits for low to stop"]
    world.release("low")
    assert world.settle() == ["high: admitted on h100", "low: pending (waiting_for_quota)"]


def test_behind_eight_that_wait_nobody_is_stopped_until_one_has_started() -> None:
    world = World(queue("train").owns(gpu=10).preempts())
    low = [f"low-{number}" for number in range(10)]
    world.submit(*low, gpu=1)
    world.settle()
    high = [f"high-{number}" for number in range(9)]
    world.submit(*high, gpu=1, priority=5)
    told = world.settle()
    assert told[:2] == ["low-9: preempted by high-0", "high-0: waits for low-9 to stop"]
    assert told[-3:] == [
        "low-2: preempted by high-7",
        "high-7: waits for low-2 to stop",
        "high-8: pending (behind_others)",
    ]
    assert world.waiting_for_others() == {
        f"high-{number}": {f"low-{9 - number}"} for number in range(8)
    }
    turn = world.state.explain("high-8").turn
    assert turn == TurnStep(verdict=TurnVerdict.CROWDED, others=tuple(high[:5]))
    # A workload of higher priority goes before them, and takes the quota freed first.
    world.submit("urgent", gpu=1, priority=9)
    assert world.settle() == [
        "urgent: waits for low-9 to stop",
        "low-1: preempted by high-7",
        "high-7: waits for low-1 to stop",
    ]
    world.release("low-9")
    assert world.settle() == [
        "urgent: admitted on any",
        "high-0: waits for low-8 to stop",
        "low-9: pending (waiting_for_quota)",
    ]
    world.release("low-8")
    assert world.settle() == [
        "high-0: admitted on any",
        "high-1: waits for low-7 to stop",
        "low-0: preempted by high-8",
        "high-8: waits for low-0 to stop",
        "low-8: pending (waiting_for_quota)",
    ]


def test_behind_eight_that_wait_who_fits_starts() -> None:
    world = World(queue("train").owns(gpu=10, cpu=1).preempts())
    world.submit(*(f"low-{number}" for number in range(10)), gpu=1)
    world.settle()
    world.submit(*(f"high-{number}" for number in range(9)), gpu=1, priority=5)
    assert world.settle()[-1] == "high-8: pending (behind_others)"
    world.submit("small", cpu=1, priority=1)
    assert world.settle() == ["small: admitted on any"]
