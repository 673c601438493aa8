"""Worked examples of classical preemption (spec 7.4), for the engine and the reference model."""

from __future__ import annotations

import pytest

from console.engine.disciplines.quota.spec import Preemption, PreemptionRule
from tests.engine.engine_adapters import Engine
from tests.engine.reference_model.builder import cohort, policy, queue, running
from tests.engine.reference_model.candidates import IN_QUEUE, RECLAIMED, WHILE_BORROWING

NEVER, LOWER, ANY = PreemptionRule.NEVER, PreemptionRule.LOWER_PRIORITY, PreemptionRule.ANY


def rules(
    within: PreemptionRule = NEVER,
    reclaim: PreemptionRule = NEVER,
    borrow: PreemptionRule = NEVER,
    threshold: int | None = None,
) -> Preemption:
    return Preemption(
        within_queue=within,
        reclaim_within_cohort=reclaim,
        borrow_within_cohort=borrow,
        max_priority_threshold=threshold,
    )


def test_p1_lowest_priority_is_preempted_first_not_the_best_fit(engine: Engine) -> None:
    held = [
        running("w0", "S", 3, priority=0, time=1),
        running("w1", "S", 2, priority=1, time=2),
        running("w5", "S", 1, priority=5, time=3),
    ]
    nodes = (queue("S", 6, preemption=rules(LOWER)),)
    assert engine.victims(policy(*nodes), held, "S", 2, 3) == {"w0": IN_QUEUE}


def test_p2_unneeded_targets_are_dropped(engine: Engine) -> None:
    held = [running("a", "S", 1, time=20), running("b", "S", 3, time=10)]
    nodes = (queue("S", 4, preemption=rules(LOWER)),)
    assert engine.victims(policy(*nodes), held, "S", 3, 3) == {"b": IN_QUEUE}


def test_p2b_last_target_is_dropped_first(engine: Engine) -> None:
    held = [
        running("a", "S", 2, priority=0, time=1),
        running("b", "S", 1, priority=1, time=2),
        running("c", "S", 3, priority=2, time=3),
    ]
    nodes = (queue("S", 6, preemption=rules(LOWER)),)
    assert engine.victims(policy(*nodes), held, "S", 4, 3) == {"a": IN_QUEUE, "c": IN_QUEUE}


@pytest.mark.parametrize(
    ("policy_of_a", "amount", "priority", "expected"),
    [
        (rules(reclaim=LOWER), 2, 1, {"b0": RECLAIMED}),
        (rules(reclaim=ANY), 2, 0, {"b0": RECLAIMED}),
        (rules(reclaim=LOWER), 3, 2, {}),
        (rules(within=LOWER, reclaim=LOWER), 3, 2, {"b0": RECLAIMED, "a0": IN_QUEUE}),
    ],
)
def test_p3_reclaim(
    engine: Engine, policy_of_a: Preemption, amount: int, priority: int, expected: dict[str, str]
) -> None:
    held = [
        running("a0", "A", 2, time=4),
        running("b5", "B", 2, priority=5, time=1),
        running("b0", "B", 2, priority=0, time=2),
        running("b1", "B", 2, priority=1, time=3),
    ]
    nodes = (queue("A", 4, "R", preemption=policy_of_a), queue("B", 4, "R"))
    assert engine.victims(policy(*nodes), held, "A", amount, priority) == expected


@pytest.mark.parametrize(
    ("policy_of_std", "amount", "expected"),
    [
        (rules(reclaim=LOWER, borrow=LOWER), 3, {"lo": WHILE_BORROWING}),
        (
            rules(reclaim=LOWER, borrow=LOWER),
            6,
            {"lo": WHILE_BORROWING, "mid": WHILE_BORROWING},
        ),
        (rules(reclaim=LOWER, borrow=LOWER, threshold=-1), 3, {"lo": WHILE_BORROWING}),
        (rules(reclaim=LOWER, borrow=LOWER, threshold=-1), 6, {}),
        (rules(reclaim=LOWER), 3, {}),
        (rules(reclaim=LOWER), 6, {}),
    ],
)
def test_p4_preempting_while_borrowing(
    engine: Engine, policy_of_std: Preemption, amount: int, expected: dict[str, str]
) -> None:
    held = [
        running("lo", "BE", 3, priority=-1, time=1),
        running("mid", "BE", 3, priority=0, time=2),
    ]
    nodes = (
        queue("S", 6, "R"),
        queue("Std", 0, "R", preemption=policy_of_std),
        queue("BE", 0, "R"),
    )
    assert engine.victims(policy(*nodes), held, "Std", amount, 10) == expected


def test_p5_own_victims_and_borrowing_together(engine: Engine) -> None:
    held = [
        running("x", "A", 1, priority=0, time=1),
        running("y", "A", 9, priority=2, time=2),
        running("z", "B", 9, time=3),
    ]
    nodes = (queue("A", 10, "R", preemption=rules(within=LOWER)), queue("B", 10, "R"))
    assert engine.victims(policy(*nodes), held, "A", 2, 1) == {"x": IN_QUEUE}


@pytest.mark.parametrize(
    ("amount", "expected"),
    [(2, {"b2": RECLAIMED}), (4, {"b2": RECLAIMED, "a": IN_QUEUE})],
)
def test_p6_a_queue_within_nominal_is_left_alone(
    engine: Engine, amount: int, expected: dict[str, str]
) -> None:
    held = [
        running("a", "A", 2, time=1),
        running("b1", "B", 3, time=2),
        running("b2", "B", 3, time=3),
    ]
    nodes = (
        queue("A", 4, "R", preemption=rules(within=LOWER, reclaim=LOWER)),
        queue("B", 4, "R"),
    )
    assert engine.victims(policy(*nodes), held, "A", amount, 1) == expected


@pytest.mark.parametrize(
    ("reclaim", "amount", "priority", "expected"),
    [
        (LOWER, 2, 1, {"l2c": RECLAIMED}),
        (LOWER, 4, 1, {"l2c": RECLAIMED, "q2b": RECLAIMED}),
        (LOWER, 4, 0, {}),
        (ANY, 4, 0, {"l2c": RECLAIMED, "q2b": RECLAIMED}),
    ],
)
def test_h1_nested_cohorts(
    engine: Engine, reclaim: PreemptionRule, amount: int, priority: int, expected: dict[str, str]
) -> None:
    held = [
        running("l2a", "l2", 2, time=1),
        running("l2b", "l2", 2, time=2),
        running("q1a", "q1", 4, time=1),
        running("l2c", "l2", 2, time=3),
        running("q2a", "q2", 3, time=1),
        running("q2b", "q2", 3, time=2),
    ]
    nodes = (
        cohort("R"),
        cohort("L", 0, "R"),
        cohort("Q", 0, "R"),
        queue("l1", 4, "L", preemption=rules(reclaim=reclaim)),
        queue("l2", 4, "L"),
        queue("q1", 4, "Q"),
        queue("q2", 4, "Q"),
    )
    assert engine.victims(policy(*nodes), held, "l1", amount, priority) == expected


def test_h2_cohort_with_enough_quota_overrides_the_borrowing_policy(engine: Engine) -> None:
    nodes = (
        cohort("R"),
        cohort("C", 2, "R"),
        queue("q", 0, "C", preemption=rules(reclaim=LOWER)),
        queue("q_b", 0, "R"),
    )
    held = [running("b", "q_b", 2, time=1)]
    assert engine.victims(policy(*nodes), held, "q", 2, 1) == {"b": RECLAIMED}


@pytest.mark.parametrize(
    ("reclaim", "expected"), [(ANY, {"o1": RECLAIMED, "o2": RECLAIMED}), (LOWER, {})]
)
def test_h3_lending_limit_and_an_owning_cohort(
    engine: Engine, reclaim: PreemptionRule, expected: dict[str, str]
) -> None:
    nodes = (
        cohort("R"),
        cohort("C", 2, "R"),
        queue("q", (3, None, 2), "C", preemption=rules(reclaim=reclaim)),
        queue("o", 0, "R"),
    )
    held = [running("o1", "o", 2, time=1), running("o2", "o", 2, time=2)]
    assert engine.victims(policy(*nodes), held, "q", 5, 0) == expected


@pytest.mark.parametrize(
    ("amount", "expected"), [(4, {"z1": WHILE_BORROWING}), (2, {"z1": RECLAIMED})]
)
def test_h4_the_priority_list(engine: Engine, amount: int, expected: dict[str, str]) -> None:
    nodes = (
        cohort("R", 4),
        cohort("P", 0, "R"),
        queue("a", 4, "P", preemption=rules(reclaim=LOWER, borrow=LOWER)),
        queue("b", 4, "P"),
        queue("z", 0, "R"),
    )
    held = [
        running("a1", "a", 2, time=1),
        running("b1", "b", 4, time=2),
        running("b2", "b", 2, time=3),
        running("z1", "z", 4, time=4),
    ]
    assert engine.victims(policy(*nodes), held, "a", amount, 1) == expected
