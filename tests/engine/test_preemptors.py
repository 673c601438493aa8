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


def test_preemptor_is_admitted_when_its_victim_has_stopped() -> None:
    world = crowded()
    assert world.waiting_for_others() == {"high": {"low"}}
    assert world.outcomes() == {"high": "pending (waiting_for_preempted)", "low": "stopping"}
    world.release("low")
    assert world.settle() == ["high: admitted on any", "low: pending (waiting_for_quota)"]
    assert world.waiting_for_others() == {}
    world.finish("high")
    assert world.settle() == ["low: admitted on any"]


def test_decision_of_a_preemptor_names_its_victims() -> None:
    world = crowded()
    decision = world.decisions[1]
    assert (decision.victims, decision.pending_class) == (("low",), "preemptor-high")
    assert decision.trace.outcome.victims == ("low",)
    assert world.decisions[0].preemptor == "high"


def test_preempted_workload_keeps_its_position() -> None:
    world = crowded()
    world.submit("young", gpu=4)
    world.settle()
    world.release("low").settle()
    world.finish("high")
    assert world.settle() == ["low: admitted on any"]


def test_preemptor_claims_quota_while_a_victim_is_stopping() -> None:
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


def test_waiting_preemptor_does_not_block_its_queue() -> None:
    world = World(queue("train").owns("a", gpu=4).new_group().owns("b", cpu=2).preempts())
    world.submit("low", gpu=4)
    world.settle()
    world.submit("high", gpu=4, priority=5)
    world.settle()
    world.submit("other", cpu=1)
    assert world.settle() == ["other: admitted on b"]


def test_surplus_of_victims_goes_to_the_next_in_order() -> None:
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


def test_second_preemptor_may_wait_for_the_surplus_of_a_victim() -> None:
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


def test_higher_priority_takes_freed_quota_and_the_preemptor_searches_again() -> None:
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


def test_settled_preemptors_have_no_failed_nomination() -> None:
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


def test_preemptor_starts_early_if_other_quota_is_freed() -> None:
    world = World(queue("train").owns(gpu=4).preempts())
    world.submit("firm", gpu=2, priority=9).submit("low", gpu=2)
    world.settle()
    world.submit("high", gpu=2, priority=5)
    assert world.settle() == ["low: preempted by high", "high: waits for low to stop"]
    world.finish("firm")
    assert world.settle() == ["high: admitted on any"]
    world.release("low")
    assert world.settle() == ["low: admitted on any"]


def test_withdrawn_preemptor_releases_its_claim() -> None:
    world = crowded()
    world.submit("next", gpu=4, priority=2)
    assert world.settle() == ["next: pending (waiting_for_quota)"]
    world.withdraw("high")
    assert world.settle() == ["next: waits for low to stop"]
    world.release("low")
    assert world.settle() == ["next: admitted on any", "low: pending (waiting_for_quota)"]


def test_victim_of_a_withdrawn_preemptor_may_be_admitted_again() -> None:
    world = crowded()
    world.withdraw("high")
    assert world.settle() == []
    world.release("low")
    assert world.settle() == ["low: admitted on any"]


@pytest.mark.parametrize("ending", ["finish", "withdraw"])
def test_finished_victim_frees_its_quota(ending: str) -> None:
    world = crowded()
    getattr(world, ending)("low")
    said = ["low: withdrawn while running"] if ending == "withdraw" else []
    assert world.settle() == [*said, "high: admitted on any"]


def test_hold_keeps_victims_stopping_and_admits_no_workload() -> None:
    world = crowded()
    world.hold("train").settle()
    assert world.outcomes() == {"high": "pending (queue_held)", "low": "stopping"}
    world.release("low")
    assert world.settle() == ["low: pending (queue_held)", "high: pending (queue_held)"]
    world.resume("train")
    assert world.settle() == ["high: admitted on any"]
    assert world.outcomes()["low"] == "pending (waiting_for_quota)"


def test_hold_and_resume_keep_the_claim() -> None:
    world = crowded()
    world.hold("train").settle()
    world.resume("train")
    assert world.settle() == []
    assert world.waiting_for_others() == {"high": {"low"}}
    world.release("low")
    assert world.settle()[0] == "high: admitted on any"


def test_hold_releases_the_claim_to_other_queues() -> None:
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


def test_policy_with_the_same_route_keeps_the_claim() -> None:
    world = crowded()
    world.apply(queue("serve").owns(gpu=1), queue("train").owns(gpu=4).preempts())
    assert world.settle() == []
    assert world.waiting_for_others() == {"high": {"low"}}
    world.release("low")
    assert world.settle()[0] == "high: admitted on any"


def test_preemptor_is_admitted_in_its_new_queue() -> None:
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


def test_preemptor_loses_its_claim_if_quota_is_cut() -> None:
    world = crowded()
    world.apply(queue("train").owns(gpu=2).preempts())
    assert world.settle() == ["high: pending (exceeds_max_quota)"]
    world.release("low")
    assert world.settle() == ["low: pending (exceeds_max_quota)"]


def test_preemptor_is_rejected_if_no_flavor_matches() -> None:
    world = crowded()
    policy_ = policy(queue("train").owns(gpu=4).preempts(), flavors={"any": only(team="somebody")})
    world.apply(policy_=policy_)
    assert world.settle() == ["high: rejected (no_flavor_matched)"]


def test_preemptor_is_pending_if_its_queue_is_stopped() -> None:
    world = crowded()
    world.apply(queue("train").owns(gpu=4).preempts().stopped(StopPolicy.HOLD))
    assert world.settle() == []
    assert world.outcomes() == {"high": "pending (queue_stopped)", "low": "stopping"}
    world.release("low")
    assert sorted(world.settle()) == [
        "high: pending (queue_stopped)",
        "low: pending (queue_stopped)",
    ]


def test_preemptor_of_a_strict_queue_blocks_later_workloads() -> None:
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


def test_higher_priority_overtakes_a_preemptor_of_a_strict_queue() -> None:
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


def test_preemptors_of_the_same_victim_keep_queue_order() -> None:
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


def test_workload_preempted_twice_yields_to_its_preemptor() -> None:
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


def test_preemptions_are_remembered_while_the_preemptor_runs() -> None:
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


def test_preemptor_of_a_removed_queue_gets_the_reason_of_its_new_queue() -> None:
    world = crowded()
    world.apply(queue("other").owns(gpu=2).stopped(StopPolicy.HOLD), rules=[rule(0, "other")])
    world.settle()
    world.release("low")
    assert sorted(world.settle()) == [
        "high: pending (queue_stopped)",
        "low: pending (queue_stopped)",
    ]


def test_preemptor_tries_all_flavors_when_its_victims_have_stopped() -> None:
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


def test_ninth_preemptor_waits_until_one_of_eight_has_started() -> None:
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


def test_fitting_workload_starts_behind_eight_preemptors() -> None:
    world = World(queue("train").owns(gpu=10, cpu=1).preempts())
    world.submit(*(f"low-{number}" for number in range(10)), gpu=1)
    world.settle()
    world.submit(*(f"high-{number}" for number in range(9)), gpu=1, priority=5)
    assert world.settle()[-1] == "high-8: pending (behind_others)"
    world.submit("small", cpu=1, priority=1)
    assert world.settle() == ["small: admitted on any"]
