"""Predicted impact on live workloads equals the engine's decisions after applying the policy."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from console.engine.disciplines.quota.reasons import QUOTA_RESERVED, WAITING_FOR_QUOTA
from console.engine.impact import (
    Affected,
    Exposure,
    Group,
    LiveImpact,
    LiveOutcome,
    Loss,
    OverQuota,
    live_impact,
)
from console.engine.impact.live_outcomes import LISTED
from console.engine.model.common_reasons import DRAINED, PREEMPTED_IN_QUEUE
from console.engine.model.policy import StopPolicy
from console.engine.routing.reasons import NO_RULE_MATCHED
from console.engine.state import State
from tests.engine.builders import ANY, World, only, policy, queue, rule
from tests.engine.strategies import draws, policies, workloads, worlds


def impact_of(world: World, *nodes: object, **settings: object) -> LiveImpact:
    world.settle()
    return live_impact(world.state, policy(*nodes, **settings))  # type: ignore[arg-type]


def workloads_by_outcome(impact: LiveImpact) -> dict[str, list[str]]:
    return {
        outcome.value: [each.workload for each in group.first]
        for outcome, group in impact.groups.items()
    }


def test_more_quota_starts_pending_workloads() -> None:
    world = World(queue("train").owns(gpu=2)).submit("a", "b", "c", "d", gpu=1)
    impact = impact_of(world, queue("train").owns(gpu=3))
    assert impact == LiveImpact(
        running=2,
        pending=2,
        affected=1,
        groups={
            LiveOutcome.STARTS: Group(
                count=1,
                first=(Affected(workload="c", queue="train", to="train", reason=QUOTA_RESERVED),),
            )
        },
    )


def test_a_queue_under_another_name_is_not_another_queue() -> None:
    world = World(queue("train").owns(gpu=2)).submit("a", "b", "c", gpu=1)
    world.settle()
    after = policy(queue("train:v2").owns(gpu=2), rules=[rule(0, "train:v2")])
    impact = live_impact(world.state, after, replaced={"train": "train:v2"})
    # The old queue still uses its quota beside the new one.
    assert workloads_by_outcome(impact) == {"starts": ["c"]}


def test_less_quota_leaves_the_last_workloads_over_quota() -> None:
    world = World(queue("train").owns(gpu=4)).submit("a", "b", gpu=1, priority=5)
    world.submit("c", gpu=2, priority=9)
    impact = impact_of(world, queue("train").owns(gpu=3))
    assert workloads_by_outcome(impact) == {"over_nominal": ["b"]}
    assert impact.over == (
        OverQuota(
            queue="train",
            flavor="any",
            resource="gpu",
            used=4000,
            nominal_before=4000,
            nominal_after=3000,
        ),
    )


def test_workloads_already_over_quota_are_not_counted() -> None:
    world = World(queue("train").owns(gpu=4)).submit("a", "b", gpu=2)
    world.settle()
    world.apply(queue("train").owns(gpu=2))
    impact = impact_of(world, queue("train").owns(gpu=2))
    assert (impact.groups, impact.over) == ({}, ())
    impact = impact_of(world, queue("train").owns(gpu=1))
    assert workloads_by_outcome(impact) == {"over_nominal": ["a"]}
    assert [each.nominal_after for each in impact.over] == [1000]


def test_removed_queue_keeps_workloads_without_quota() -> None:
    world = World(queue("old").owns(gpu=2), queue("train").owns(gpu=2))
    world.submit("a", to="old", gpu=1).submit("b", to="old", gpu=2)
    impact = impact_of(world, queue("train").owns(gpu=2), rules=[rule(0, "train")])
    assert workloads_by_outcome(impact) == {
        "starts": ["b"],
        "over_nominal": ["a"],
        "loses_flavor": ["a"],
    }
    assert impact.groups[LiveOutcome.STARTS].first[0].to == "train"
    assert impact.groups[LiveOutcome.LOSES_FLAVOR].first[0].losses == (Loss.QUEUE,)


def test_flavors_are_lost_by_list_and_by_label() -> None:
    world = World(queue("train").owns("spot", gpu=1).owns("fixed", gpu=1))
    world.submit("a", "b", gpu=1)
    impact = impact_of(
        world, queue("train").owns("fixed", gpu=2), flavors={"fixed": only(team="ml")}
    )
    assert workloads_by_outcome(impact) == {"over_nominal": ["a"], "loses_flavor": ["a", "b"]}
    assert [each.losses for each in impact.groups[LiveOutcome.LOSES_FLAVOR].first] == [
        (Loss.FLAVOR,),
        (Loss.ACCESS,),
    ]


def test_without_quota_no_flavor_is_lost() -> None:
    world = World(queue("train").owns("spot", gpu=1)).submit("a", gpu=1)
    assert "loses_flavor" not in workloads_by_outcome(impact_of(world, queue("train")))


def test_pending_workloads_are_rejected_or_rerouted() -> None:
    world = World(queue("train").owns(gpu=1), queue("serve").owns(gpu=1))
    world.submit("runs", "waits", gpu=1).submit("other", gpu=1, labels={"team": "ml"})
    world.submit("there", to="serve", gpu=1)
    impact = impact_of(
        world,
        queue("train").owns(gpu=1),
        queue("serve").owns(gpu=1),
        rules=[rule(0, "serve", only(team="ml"))],
    )
    assert workloads_by_outcome(impact) == {"moved": ["other"], "rejected": ["waits"]}
    assert impact.groups[LiveOutcome.MOVED].first == (
        Affected(workload="other", queue="train", to="serve", reason=WAITING_FOR_QUOTA),
    )
    assert impact.groups[LiveOutcome.REJECTED].first == (
        Affected(workload="waits", queue="train", reason=NO_RULE_MATCHED),
    )


def test_pending_workloads_may_exceed_the_new_limit() -> None:
    world = World(queue("train").owns(gpu=4)).submit("a", "b", gpu=4)
    impact = impact_of(world, queue("train").owns(gpu=3))
    assert workloads_by_outcome(impact) == {"never_fits": ["b"], "over_nominal": ["a"]}


def test_enabled_preemption_preempts_some_and_endangers_others() -> None:
    world = World(queue("train").owns(gpu=2)).submit("low", "mid", gpu=1, priority=1)
    world.settle()
    world.submit("high", gpu=1, priority=9)
    impact = impact_of(world, queue("train").owns(gpu=2).preempts())
    assert workloads_by_outcome(impact) == {
        "starts_soon": ["high"],
        "stopped": ["mid"],
        "preemptible": ["low"],
    }
    assert impact.groups[LiveOutcome.STOPPED].first == (
        Affected(workload="mid", queue="train", reason=PREEMPTED_IN_QUEUE, preemptor="high"),
    )
    assert impact.groups[LiveOutcome.PREEMPTIBLE].first[0].losses == (Exposure.IN_QUEUE,)


def test_a_cohort_that_may_reclaim_endangers_what_is_borrowed() -> None:
    def nodes(*, reclaim: bool) -> list[object]:
        serve = queue("serve").within("ml").owns(gpu=2)
        return [
            queue("train").within("ml").owns(gpu=1),
            serve.reclaims(ANY) if reclaim else serve,
        ]

    world = World(*nodes(reclaim=False)).submit("own", "borrows", gpu=1)  # type: ignore[arg-type]
    impact = impact_of(world, *nodes(reclaim=True))
    assert workloads_by_outcome(impact) == {"preemptible": ["borrows"]}
    assert impact.groups[LiveOutcome.PREEMPTIBLE].first[0].losses == (Exposure.BY_COHORT,)


def test_a_drained_queue_stops_what_runs() -> None:
    world = World(queue("train").owns(gpu=2)).submit("a", "b", gpu=1)
    impact = impact_of(world, queue("train").owns(gpu=2).stopped(StopPolicy.HOLD_AND_DRAIN))
    assert workloads_by_outcome(impact) == {"stopped": ["a", "b"]}
    assert {each.reason for each in impact.groups[LiveOutcome.STOPPED].first} == {DRAINED}


def test_decisions_due_without_the_change_are_not_counted() -> None:
    world = World(queue("train").owns(gpu=2)).submit("a", "b", gpu=1)
    impact = live_impact(world.state, world.policy)
    assert impact == LiveImpact(running=2, pending=0)


def test_long_lists_are_cut_and_counted() -> None:
    names = [f"w{number}" for number in range(LISTED + 5)]
    world = World(queue("train").owns(gpu=0)).submit(*names, gpu=1)
    impact = impact_of(world, queue("train").owns(gpu=None))
    group = impact.groups[LiveOutcome.STARTS]
    assert group.count == len(names)
    assert [each.workload for each in group.first] == names[:LISTED]


def test_progress_callback_may_interrupt() -> None:
    class Enough(Exception):
        pass

    seen: list[int] = []

    def going_on(done: int) -> None:
        seen.append(done)
        if len(seen) == 2:
            raise Enough

    world = World(queue("train").owns(gpu=2)).submit("a", "b", gpu=1)
    try:
        live_impact(world.state, world.policy, going_on)
    except Enough:
        return
    raise AssertionError("it was not stopped")


def _live(draw: st.DrawFn) -> tuple[State, State]:
    """Return two settled states with the same events."""
    first = draw(policies())
    states = State(first), State(first)
    alive: list[str] = []
    for number in range(1, draw(st.integers(3, 14))):
        each = draw(workloads(number))
        alive.append(each.id)
        ends = draw(st.sampled_from(alive)) if draw(st.integers(0, 3)) == 0 else None
        for state in states:
            state.submit(each)
            state.settle()
            if ends is not None:
                state.finish(ends)
    for state in states:
        state.settle()
    return states


@worlds(75)
@given(draws())
def test_the_same_policy_does_nothing(draw: st.DrawFn) -> None:
    state, _ = _live(draw)
    running = sum(not each.evicting for each in state.running.values())
    pending = len(state.pending)
    assert live_impact(state, state.policy) == LiveImpact(running=running, pending=pending)


@worlds(100)
@given(draws())
def test_predictions_equal_the_decisions_after_applying(draw: st.DrawFn) -> None:
    state, twin = _live(draw)
    after = draw(policies())
    waited = {uid: each.route.queue for uid, each in twin.pending.items()}
    ran = {uid for uid, each in twin.running.items() if not each.evicting}
    waited_for = {uid for each in twin.queues.values() for uid in each.preemptors}
    found = {
        outcome: {each.workload for each in group.first}
        for outcome, group in live_impact(state, after).groups.items()
    }
    twin.change_policy(after)
    twin.settle()
    now_waits = {uid: each.route.queue for uid, each in twin.pending.items()}
    happened = {
        LiveOutcome.STARTS: waited.keys() & twin.running.keys(),
        LiveOutcome.REJECTED: waited.keys() - twin.running.keys() - twin.pending.keys(),
        LiveOutcome.MOVED: {
            uid for uid, place in now_waits.items() if uid in waited and waited[uid] != place
        },
        LiveOutcome.STARTS_SOON: {uid for each in twin.queues.values() for uid in each.preemptors}
        - waited_for,
        LiveOutcome.STOPPED: {uid for uid in ran if twin.running[uid].evicting},
    }
    for outcome, ids in happened.items():
        assert found.get(outcome, set()) == set(ids), outcome
