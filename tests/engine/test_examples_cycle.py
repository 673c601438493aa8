"""Worked examples of cycles (spec 4.4 to 4.6), for the engine and the reference model."""

from __future__ import annotations

import pytest

from console.engine.disciplines.quota.spec import FairStrategy, Preemption, PreemptionRule
from tests.engine.engine_adapters import Cycle, Engine
from tests.engine.reference_model.builder import cohort, policy, queue, running, waiting, world
from tests.engine.reference_model.candidates import IN_QUEUE, RECLAIMED
from tests.engine.reference_model.world import Waiting

BOTH = (FairStrategy.FINAL_SHARE, FairStrategy.INITIAL_SHARE)
LOWER = PreemptionRule.LOWER_PRIORITY


def test_reservations_never_exceed_quota(engine: Engine) -> None:
    live = world(
        policy(
            queue("A", 4, "R", preemption=Preemption(within_queue=LOWER)),
            queue("B", 2, "R"),
            queue("C", 0, "R"),
        ),
        running("v", "A", 4, time=1),
        pending=(
            waiting("P", "A", 3, priority=10, sequence=11),
            waiting("E1", "B", 2, priority=5, sequence=12),
            waiting("E2", "C", 1, sequence=13),
        ),
    )
    live.reserves_victim_quota = True
    assert engine.cycle(live) == Cycle(
        admitted=["E1"],
        preempted={"P": {"v": IN_QUEUE}},
        verdicts={"P": "Preempting", "E2": "Overtaken"},
    )


@pytest.mark.parametrize(
    ("reclaim", "admitted", "verdicts"),
    [
        (PreemptionRule.NEVER, [], {"a": "NoVictims", "b": "Overtaken"}),
        (PreemptionRule.ANY, ["b"], {"a": "NoVictims"}),
    ],
)
def test_head_without_targets_reserves_quota(
    engine: Engine, reclaim: PreemptionRule, admitted: list[str], verdicts: dict[str, str]
) -> None:
    rules = Preemption(reclaim_within_cohort=reclaim)
    live = world(
        policy(queue("A", 2, "R", preemption=rules), queue("B", 0, "R")),
        running("r", "A", 1, time=1),
        pending=(waiting("a", "A", 2, priority=10), waiting("b", "B", 1)),
    )
    assert engine.cycle(live) == Cycle(admitted=admitted, preempted={}, verdicts=verdicts)


@pytest.mark.parametrize(("first", "second", "admitted"), [(6, 4, ["w2"]), (5, 3, ["w2", "w1"])])
def test_a_borrower_comes_after_those_within_nominal(
    engine: Engine, first: int, second: int, admitted: list[str]
) -> None:
    live = world(
        policy(queue("q1", 4, "R"), queue("q2", 4, "R")),
        pending=(waiting("w1", "q1", first, priority=10), waiting("w2", "q2", second)),
    )
    assert engine.cycle(live).admitted == admitted


RECLAIM = Preemption(reclaim_within_cohort=LOWER)
OVERLAP = policy(
    queue("A", 4, "R", preemption=RECLAIM),
    queue("B", 4, "R", preemption=RECLAIM),
    queue("C", 0, "R"),
)


def competitors() -> tuple[Waiting, Waiting]:
    return waiting("wa", "A", 4, priority=10, sequence=11), waiting("wb", "B", 4, priority=5)


def test_overlapping_targets_are_searched_again(engine: Engine) -> None:
    live = world(
        OVERLAP, running("c1", "C", 4, time=1), running("c2", "C", 4, time=2), pending=competitors()
    )
    assert engine.cycle(live) == Cycle(
        admitted=[],
        preempted={"wa": {"c2": RECLAIMED}, "wb": {"c1": RECLAIMED}},
        verdicts={"wa": "Preempting", "wb": "Preempting"},
    )


def test_second_preemptor_waits_for_the_same_victims(engine: Engine) -> None:
    live = world(OVERLAP, running("c1", "C", 8, time=1), pending=competitors())
    assert engine.cycle(live) == Cycle(
        admitted=[],
        preempted={"wa": {"c1": RECLAIMED}},
        verdicts={"wa": "Preempting", "wb": "WaitsForOthers"},
    )


def test_the_fair_order_of_a_flat_cohort(engine: Engine) -> None:
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
    assert engine.cycle(live).admitted == ["wd", "wb", "wa"]


def test_the_fair_order_of_nested_cohorts(engine: Engine) -> None:
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
    assert engine.cycle(live).admitted == ["w2", "wq", "w1"]
