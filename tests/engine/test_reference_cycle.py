"""Switches of the reference model: off gives Kueue's rules, on those of the product."""

from __future__ import annotations

import pytest

from console.engine.disciplines.quota.spec import FairStrategy, Preemption, PreemptionRule
from console.engine.model.policy import Strategy
from console.engine.model.workload import PodSet
from tests.engine.reference_model.builder import (
    CPU,
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


def after_one_cycle(
    live: World,
) -> tuple[list[str], dict[str, dict[str, str]], dict[str, str]]:
    """Run one cycle; return admissions in order, preemptions, and codes of pending workloads."""
    result = run_cycle(live)
    said = {each.id: each.verdict.code for each in live.waiting}
    return [each.id for each in result.admitted], result.preempted, said


def over_reserved(*, reserves_victim_quota: bool) -> World:
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
    live.reserves_victim_quota = reserves_victim_quota
    return live


def test_kueue_rules_admit_on_quota_of_a_running_victim() -> None:
    admitted, preempted, _ = after_one_cycle(over_reserved(reserves_victim_quota=False))
    assert (admitted, preempted) == (["E1", "E2"], {"P": {"v": "InClusterQueue"}})


def circle() -> World:
    """
    Return a world in which Kueue's rules preempt forever.

    *p* lacks nominal quota of A, so it may preempt *v*. But A borrows the other resource and has
    weight 0, so *v* is ordered first and takes the quota back.
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


def test_kueue_rules_may_preempt_in_a_loop() -> None:
    settled = settle(circle())
    assert not settled.is_steady
    assert [(step.action, step.workload) for step in settled.steps] == [
        ("preempt", "p"),
        ("admit", "v"),
        ("preempt", "p"),
    ]


def test_victim_yields_to_its_preemptor_with_ends_loops() -> None:
    live = circle()
    live.ends_loops = True
    settled = settle(live)
    assert settled.is_steady
    assert [(step.action, step.workload) for step in settled.steps] == [
        ("preempt", "p"),
        ("admit", "v"),
        ("preempt", "p"),
        ("admit", "p"),
    ]
    assert [each.id for each in live.running] == ["p"]


@pytest.mark.parametrize(("ends_loops", "admitted"), [(False, []), (True, ["c"])])
def test_repeatedly_overtaken_head_is_parked_with_ends_loops(
    ends_loops: bool, admitted: list[str]
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
    live.ends_loops = ends_loops
    settled = settle(live)
    assert settled.is_steady
    assert [step.workload for step in settled.steps] == admitted
