"""The slow model's cycles: the worked examples of the rules (spec 4.4 to 4.6), and its switches."""

from __future__ import annotations

import pytest

from console.engine.policy import FairStrategy, Preemption, PreemptionRule, Strategy
from console.engine.workload import PodSet
from tests.engine.reference_model.builder import (
    CPU,
    cohort,
    groups,
    policy,
    queue,
    running,
    waiting,
    world,
)
from tests.engine.reference_model.cycle import run_cycle
from tests.engine.reference_model.settle import settle
from tests.engine.reference_model.world import World

BOTH = (FairStrategy.FINAL_SHARE, FairStrategy.INITIAL_SHARE)
LOWER = PreemptionRule.LOWER_PRIORITY


def after_one_cycle(live: World) -> tuple[list[str], dict[str, dict[str, str]], dict[str, str]]:
    """Run one cycle; return who was admitted in order, who stops for whom, and other verdicts."""
    result = run_cycle(live)
    said = {each.id: each.verdict.code for each in live.waiting}
    return [each.id for each in result.admitted], result.preempted, said


def over_reserved(*, keeps_capacity: bool) -> World:
    live = world(
        policy(
            queue("A", 4, "R", preemption=Preemption(within_queue=LOWER)),
            queue("B", 2, "R"),
            queue("C", 0, "R"),
        ),
        running("v", "A", 4, time=1),
        pending=(
            waiting("P", "A", 3, priority=10),
            waiting("E1", "B", 2, priority=5),
            waiting("E2", "C", 1),
        ),
    )
    live.keeps_capacity = keeps_capacity
    return live


def test_two_fits_of_one_cycle_may_use_the_room_of_a_victim_that_still_runs() -> None:
    admitted, preempted, _ = after_one_cycle(over_reserved(keeps_capacity=False))
    assert (admitted, preempted) == (["E1", "E2"], {"P": {"v": "InClusterQueue"}})


def test_with_the_switch_they_wait_until_it_is_gone() -> None:
    admitted, preempted, said = after_one_cycle(over_reserved(keeps_capacity=True))
    assert (admitted, preempted) == (["E1"], {"P": {"v": "InClusterQueue"}})
    assert said == {"P": "Preempting", "E2": "Overtaken"}


@pytest.mark.parametrize(
    ("reclaim", "admitted", "said"),
    [
        (PreemptionRule.NEVER, [], {"a": "NoVictims", "b": "Overtaken"}),
        (PreemptionRule.ANY, ["b"], {"a": "NoVictims"}),
    ],
)
def test_a_head_without_victims_keeps_capacity_back(
    reclaim: PreemptionRule, admitted: list[str], said: dict[str, str]
) -> None:
    rules = Preemption(reclaim_within_cohort=reclaim)
    live = world(
        policy(queue("A", 2, "R", preemption=rules), queue("B", 0, "R")),
        running("r", "A", 1, time=1),
        pending=(waiting("a", "A", 2, priority=10), waiting("b", "B", 1)),
    )
    assert after_one_cycle(live) == (admitted, {}, said)


@pytest.mark.parametrize(("first", "second", "admitted"), [(6, 4, ["w2"]), (5, 3, ["w2", "w1"])])
def test_a_borrower_comes_after_those_within_nominal(
    first: int, second: int, admitted: list[str]
) -> None:
    live = world(
        policy(queue("q1", 4, "R"), queue("q2", 4, "R")),
        pending=(waiting("w1", "q1", first, priority=10), waiting("w2", "q2", second)),
    )
    assert after_one_cycle(live)[0] == admitted


RECLAIM = Preemption(reclaim_within_cohort=LOWER)
OVERLAP = policy(
    queue("A", 4, "R", preemption=RECLAIM),
    queue("B", 4, "R", preemption=RECLAIM),
    queue("C", 0, "R"),
)
RIVALS = (waiting("wa", "A", 4, priority=10), waiting("wb", "B", 4, priority=5))


def test_overlapping_victims_are_looked_for_again() -> None:
    live = world(
        OVERLAP, running("c1", "C", 4, time=1), running("c2", "C", 4, time=2), pending=RIVALS
    )
    assert after_one_cycle(live) == (
        [],
        {"wa": {"c2": "InCohortReclamation"}, "wb": {"c1": "InCohortReclamation"}},
        {"wa": "Preempting", "wb": "Preempting"},
    )


def test_a_rival_waits_for_the_victims_of_another() -> None:
    live = world(OVERLAP, running("c1", "C", 8, time=1), pending=RIVALS)
    assert after_one_cycle(live) == (
        [],
        {"wa": {"c1": "InCohortReclamation"}},
        {"wa": "Preempting", "wb": "WaitsForOthers"},
    )


def test_the_fair_order_of_a_flat_cohort() -> None:
    live = world(
        policy(
            cohort("R", 6),
            queue("A", 0, "R"),
            queue("B", 0, "R"),
            queue("D", 2, "R"),
            strategies=BOTH,
        ),
        running("a", "A", 2, time=1),
        pending=(
            waiting("wa", "A", 1, priority=10),
            waiting("wb", "B", 2),
            waiting("wd", "D", 2),
        ),
    )
    assert after_one_cycle(live)[0] == ["wd", "wb", "wa"]


def test_the_fair_order_of_nested_cohorts() -> None:
    live = world(
        policy(
            cohort("R", 12),
            cohort("P", 0, "R"),
            cohort("Q", 0, "R"),
            queue("p1", 0, "P"),
            queue("p2", 0, "P"),
            queue("q1", 0, "Q"),
            strategies=BOTH,
        ),
        running("r1", "p1", 4, time=1),
        running("r2", "q1", 3, time=2),
        pending=(
            waiting("w1", "p1", 1, sequence=11),
            waiting("w2", "p2", 1, sequence=12),
            waiting("wq", "q1", 2, sequence=13),
        ),
    )
    assert after_one_cycle(live)[0] == ["w2", "wq", "w1"]


def circle() -> World:
    """
    Return a world in which the plain rules evict for ever.

    What *p* is short of is A's own, so it may stop *v*. But A borrows the other
    resource and has no weight: *v* is ordered first and takes its room back.
    """
    stops = Preemption(reclaim_within_cohort=PreemptionRule.ANY)
    own = (*groups({"f": 4}), *groups({"g": 1}, resource="gpu"))
    rest = (*groups({"f": 0}), *groups({"g": 2}, resource="gpu"))
    return world(
        policy(
            queue("A", 0, "R", groups=own, preemption=stops, weight=0),
            queue("B", 0, "R", groups=rest),
            strategies=BOTH,
        ),
        running("v", "B", 4, time=1),
        pending=(waiting("p", "A", pod_sets=(PodSet(requests={CPU: 2, "gpu": 2}),)),),
    )


def test_the_plain_rules_may_evict_in_a_circle() -> None:
    settled = settle(circle())
    assert not settled.is_steady
    assert [(step.action, step.workload) for step in settled.steps] == [
        ("preempt", "p"),
        ("admit", "v"),
        ("preempt", "p"),
    ]


def test_with_the_switch_the_victim_lets_its_preemptor_go_first() -> None:
    live = circle()
    live.ends_circles = True
    settled = settle(live)
    assert settled.is_steady
    assert [(step.action, step.workload) for step in settled.steps] == [
        ("preempt", "p"),
        ("admit", "v"),
        ("preempt", "p"),
        ("admit", "p"),
    ]
    assert [each.id for each in live.running] == ["p"]


@pytest.mark.parametrize(("ends_circles", "admitted"), [(False, []), (True, ["c"])])
def test_with_the_switch_a_head_that_is_overtaken_for_ever_lets_others_look(
    ends_circles: bool, admitted: list[str]
) -> None:
    both = (*groups({"f": 0}), *groups({"g": 1}, resource="gpu"))
    live = world(
        policy(
            queue("A", 2, "R", strategy=Strategy.STRICT_FIFO),
            queue("B", 0, "R", groups=both),
        ),
        running("r", "A", 1, time=1),
        pending=(
            waiting("a", "A", 2, priority=10),
            waiting("b", "B", 1, priority=5),
            waiting("c", "B", pod_sets=(PodSet(requests={"gpu": 1}),)),
        ),
    )
    live.ends_circles = ends_circles
    settled = settle(live)
    assert settled.is_steady
    assert [step.workload for step in settled.steps] == admitted
