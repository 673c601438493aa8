"""Worked examples of fair preemption (spec 7.11), for the engine and the reference model."""

from __future__ import annotations

import pytest

from console.engine.disciplines.quota.spec import (
    FairStrategy,
    Preemption,
    PreemptionRule,
    QueueSpec,
)
from tests.engine.engine_adapters import Engine
from tests.engine.reference_model.builder import cohort, policy, queue, running
from tests.engine.reference_model.candidates import FAIR_SHARE, RECLAIMED
from tests.engine.reference_model.world import Running

BOTH = (FairStrategy.FINAL_SHARE, FairStrategy.INITIAL_SHARE)
FINAL, INITIAL = BOTH[:1], BOTH[1:]
RECLAIM = Preemption(reclaim_within_cohort=PreemptionRule.ANY)


def several(name: str, amount: int, times: int, start: int = 1) -> list[Running]:
    """Return workloads ``b1``, ``b2``, ... of the queue *name*, in the order of reservation."""
    return [
        running(f"{name}{number}", name, amount, time=start + number)
        for number in range(1, times + 1)
    ]


def three(weight: float = 1) -> tuple[QueueSpec, ...]:
    return (
        queue("a", 4, "R", weight=weight, preemption=RECLAIM),
        queue("b", 4, "R"),
        queue("c", 4, "R"),
    )


FULL = [*several("a", 4, 1), *several("b", 2, 4)]
COARSE = [*several("a", 4, 1), *several("b", 4, 2)]


@pytest.mark.parametrize(
    ("held", "amount", "strategies", "weight", "expected"),
    [
        pytest.param(
            [*several("a", 2, 1), *several("b", 2, 4), *several("c", 2, 1)],
            2,
            BOTH,
            1,
            {"b4": RECLAIMED},
            id="S1",
        ),
        pytest.param(FULL, 2, BOTH, 1, {"b4": FAIR_SHARE}, id="S2"),
        pytest.param(FULL, 3, BOTH, 1, {}, id="S3"),
        pytest.param(COARSE, 3, BOTH, 1, {"b2": FAIR_SHARE}, id="S4"),
        pytest.param(COARSE, 3, FINAL, 1, {}, id="S4-final-share-only"),
        pytest.param(COARSE, 3, INITIAL, 1, {"b2": FAIR_SHARE}, id="S4-initial-share-only"),
        pytest.param(COARSE, 4, BOTH, 1, {}, id="S5"),
        pytest.param(FULL, 2, BOTH, 2, {"b4": FAIR_SHARE}, id="S6-weight-2"),
        pytest.param(FULL, 2, BOTH, 0.5, {}, id="S6-weight-half"),
        pytest.param(FULL, 2, BOTH, 0, {}, id="S6-weight-zero"),
    ],
)
def test_three_queues_in_one_cohort(
    engine: Engine,
    held: list[Running],
    amount: int,
    strategies: tuple[FairStrategy, ...],
    weight: float,
    expected: dict[str, str],
) -> None:
    assert (
        engine.victims(policy(*three(weight), strategies=strategies), held, "a", amount) == expected
    )


def test_s7_quota_of_the_contended_flavor_is_an_entitlement(engine: Engine) -> None:
    nodes = (
        queue("a", {"f": 4, "h": 0}, "R", preemption=RECLAIM),
        queue("b", {"f": 4, "h": 8}, "R"),
    )
    held = [running("a1", "a", 6, time=1, flavor="h"), *several("b", 4, 2)]
    assert engine.victims(policy(*nodes, strategies=BOTH), held, "a", 4) == {"b2": RECLAIMED}


@pytest.mark.parametrize(
    ("usage", "amount", "expected"),
    [
        ((2, 2, 6, 2), 1, {"q16": FAIR_SHARE}),
        ((2, 4, 3, 3), 1, {"p24": FAIR_SHARE}),
        ((0, 6, 3, 3), 3, dict.fromkeys(("p26", "p25", "p24"), FAIR_SHARE)),
        ((0, 6, 3, 3), 4, {}),
        ((1, 3, 7, 1), 3, {}),
    ],
)
def test_nested_cohorts_compare_shares_below_their_common_one(
    engine: Engine, usage: tuple[int, int, int, int], amount: int, expected: dict[str, str]
) -> None:
    nodes = (
        cohort("R"),
        cohort("P", 6, "R"),
        cohort("Q", 6, "R"),
        queue("p1", 0, "P", preemption=RECLAIM),
        queue("p2", 0, "P"),
        queue("q1", 0, "Q"),
        queue("q2", 0, "Q"),
    )
    held = [
        each
        for name, units in zip(("p1", "p2", "q1", "q2"), usage, strict=True)
        for each in several(name, 1, units)
    ]
    assert engine.victims(policy(*nodes, strategies=BOTH), held, "p1", amount) == expected
