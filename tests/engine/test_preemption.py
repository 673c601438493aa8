"""Preemption: targets, their reasons in traces, and minimality of the targets."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from console.engine.disciplines.quota.trace import (
    CandidateVerdict,
    PreemptionStep,
    PreemptionVerdict,
    quota_facts,
)
from tests.engine.builders import (
    ANY,
    FAIR,
    LOWER,
    LOWER_OR_NEWER,
    NEVER,
    World,
    cohort,
    pods,
    queue,
)


def search(world: World, name: str) -> PreemptionStep:
    """Return the target search in the last decision about *name*."""
    trace = next(each.trace for each in reversed(world.decisions) if each.workload == name)
    found = quota_facts(trace).preemption
    assert found is not None
    return found


def targets(world: World, name: str) -> dict[str, str | None]:
    """Return the targets with the policies that allow their preemption."""
    return {
        each.workload: each.right
        for each in search(world, name).candidates
        if each.verdict is CandidateVerdict.TARGET
    }


def test_queue_without_preemption_preempts_no_workload() -> None:
    world = World(queue("train").owns(gpu=4))
    world.submit("low", gpu=4)
    world.settle()
    world.submit("high", gpu=2, priority=9)
    assert world.settle() == ["high: pending (waiting_for_quota)"]
    step = search(world, "high")
    assert (step.rule, step.verdict) == (NEVER.value, PreemptionVerdict.NOT_ALLOWED)


def test_equal_priority_is_not_preempted() -> None:
    world = World(queue("train").owns(gpu=4).preempts())
    world.submit("first", gpu=4, priority=1)
    world.settle()
    world.submit("second", gpu=1, priority=1)
    assert world.settle() == ["second: pending (waiting_for_quota)"]
    assert search(world, "second").verdict is PreemptionVerdict.NOT_ENOUGH


def test_the_rule_of_equal_priority_looks_at_submission() -> None:
    world = World(queue("train").owns(gpu=4).preempts(LOWER_OR_NEWER))
    world.submit("firm", gpu=1).submit("old", gpu=4).submit("new", gpu=3)
    assert world.settle() == [
        "firm: admitted on any",
        "new: admitted on any",
        "old: pending (waiting_for_quota)",
    ]
    world.finish("firm")
    assert world.settle() == ["new: preempted by old", "old: waits for new to stop"]
    world.release("new")
    assert world.settle() == ["old: admitted on any", "new: pending (waiting_for_quota)"]


def test_workload_without_the_short_resource_is_not_preempted() -> None:
    world = World(queue("train").owns("a100", gpu=2).new_group().owns("node", cpu=4).preempts())
    world.submit("cpu-only", cpu=4).submit("gpus", gpu=2)
    world.settle()
    world.submit("high", gpu=1, priority=1)
    assert world.settle() == ["gpus: preempted by high", "high: waits for gpus to stop"]


def test_free_flavor_comes_before_preemption() -> None:
    world = World(queue("train").owns("spot", gpu=4).owns("od", gpu=10).preempts())
    world.submit("low", gpu=3)
    world.settle()
    world.submit("high", gpu=3, priority=5)
    assert world.settle() == ["high: admitted on od"]


def test_preemption_comes_before_waiting_for_an_earlier_flavor() -> None:
    world = World(queue("train").owns("spot", gpu=4).owns("od", gpu=4).preempts())
    world.submit("firm", gpu=4, priority=9).submit("low", gpu=4)
    world.settle()
    world.submit("high", gpu=4, priority=5)
    assert world.settle() == ["low: preempted by high", "high: waits for low to stop"]
    world.release("low")
    assert world.settle() == ["high: admitted on od", "low: pending (waiting_for_quota)"]


def test_borrowed_quota_is_reclaimed() -> None:
    world = World(
        queue("owner").owns(gpu=4).reclaims(ANY).within("ml"),
        queue("guest").owns(gpu=0).within("ml"),
    )
    world.submit("g1", "g2", to="guest", gpu=2, priority=9)
    world.settle()
    world.submit("o", gpu=2)
    assert world.settle() == ["g2: reclaimed by o", "o: waits for g2 to stop"]
    assert targets(world, "o") == {"g2": "reclaimed_in_cohort"}
    step = next(each.trace for each in world.decisions if each.workload == "g2").preempted
    assert step is not None
    assert (step.preemptor, step.queue, step.rule) == ("o", "owner", ANY.value)


def test_borrower_may_preempt_lower_priority_below_the_threshold() -> None:
    world = World(
        queue("std").owns(gpu=0).reclaims(LOWER, borrow=LOWER, threshold=0).within("ml"),
        queue("be").owns(gpu=0).within("ml"),
        cohort("ml").owns(gpu=4),
    )
    world.submit("mid", to="be", gpu=2, priority=1).submit("low", to="be", gpu=2)
    world.settle()
    world.submit("s", gpu=2, priority=5)
    assert world.settle() == ["low: reclaimed while borrowing by s", "s: waits for low to stop"]
    world.submit("t", gpu=2, priority=5)
    assert world.settle() == ["t: pending (waiting_for_quota)"]


def test_fair_share_is_preempted_from_the_largest_borrower() -> None:
    """Example S2 of the rules (spec 7.11): both queues end with an equal share."""
    world = World(
        queue("a").owns(gpu=4).reclaims(ANY).within("ml"),
        queue("b").owns(gpu=4).within("ml"),
        queue("c").owns(gpu=4).within("ml"),
        fair=FAIR,
    )
    world.submit("a1", to="a", gpu=4).submit("b1", "b2", "b3", "b4", to="b", gpu=2)
    world.settle()
    world.submit("a2", to="a", gpu=2)
    assert world.settle() == ["b4: stopped for the fair share of a2", "a2: waits for b4 to stop"]
    world.release("b4")
    assert world.settle() == ["a2: admitted on any", "b4: pending (waiting_for_quota)"]


def test_second_preemptor_searches_another_victim() -> None:
    world = World(
        queue("a").owns(gpu=4).reclaims().within("ml"),
        queue("b").owns(gpu=4).reclaims().within("ml"),
        queue("c").owns(gpu=0).within("ml"),
    )
    world.submit("c1", "c2", to="c", gpu=4)
    world.settle()
    world.submit("wa", to="a", gpu=4, priority=10).submit("wb", to="b", gpu=4, priority=5)
    assert world.settle() == [
        "c2: reclaimed by wa",
        "wa: waits for c2 to stop",
        "c1: reclaimed by wb",
        "wb: waits for c1 to stop",
    ]
    world.release("c1")
    # Freed quota goes to the first preemptor in cycle order, whichever preemptor freed it.
    assert world.settle() == [
        "wa: admitted on any",
        "wb: waits for c2 to stop",
        "c1: pending (waiting_for_quota)",
    ]
    world.release("c2")
    assert world.settle() == ["wb: admitted on any", "c2: pending (waiting_for_quota)"]


def test_two_preemptors_may_wait_for_one_victim() -> None:
    world = World(
        queue("a").owns(gpu=4).reclaims().within("ml"),
        queue("b").owns(gpu=4).reclaims().within("ml"),
        queue("c").owns(gpu=0).within("ml"),
    )
    world.submit("c1", to="c", gpu=8)
    world.settle()
    world.submit("wa", to="a", gpu=4, priority=10).submit("wb", to="b", gpu=4, priority=5)
    assert world.settle() == [
        "c1: reclaimed by wa",
        "wa: waits for c1 to stop",
        "wb: waits for c1 to stop",
    ]
    world.release("c1")
    assert world.settle() == [
        "wa: admitted on any",
        "wb: admitted on any",
        "c1: pending (waiting_for_quota)",
    ]


def test_partial_admission_preempts_no_more_than_needed() -> None:
    world = World(queue("train").owns(cpu=4).preempts())
    world.submit("firm", cpu=2, priority=9).submit("low", cpu=2)
    world.settle()
    world.submit("job", pod_sets=(pods("workers", 4, at_least=1, cpu=1),), priority=5)
    assert world.settle() == ["low: preempted by job", "job: waits for low to stop"]
    world.release("low")
    assert world.settle()[0] == "job: admitted with 2 workers on any"


scenes = st.lists(st.tuples(st.integers(1, 4), st.integers(0, 3)), min_size=1, max_size=7)


@given(
    running=scenes, free=st.integers(0, 2), amount=st.integers(1, 12), priority=st.integers(0, 4)
)
def test_targets_have_lower_priority_and_are_minimal(
    running: list[tuple[int, int]], free: int, amount: int, priority: int
) -> None:
    nominal = sum(size for size, _ in running) + free
    world = World(queue("train").owns(gpu=nominal).preempts())
    for number, (size, rank) in enumerate(running):
        world.submit(f"w{number}", gpu=size, priority=rank).settle()
    assert len(world.runs()) == len(running)
    before = dict(world.state.usage("train"))
    world.submit("asks", gpu=amount, priority=priority).settle()
    stopped = [world.state.running[name] for name in world.state.evicting]
    within_reach = free + sum(size for size, rank in running if rank < priority)
    if amount <= free or amount > within_reach:
        assert not stopped
        return
    assert world.state.usage("train") == before
    assert all(each.priority < priority for each in stopped)
    freed = [each.usage["any", "gpu"] // 1000 for each in stopped]
    assert free + sum(freed) >= amount
    # Without any one of the targets, the quota would not suffice.
    assert all(free + sum(freed) - each < amount for each in freed)
