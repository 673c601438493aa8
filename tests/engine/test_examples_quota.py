"""Worked examples of quota trees (spec 5.7) and shares (7.6), for both engines."""

from __future__ import annotations

from fractions import Fraction

import pytest

from console.engine.disciplines.quota.spec import Cohort, QueueSpec, ResourceGroup, spec_of
from tests.engine.engine_adapters import Engine
from tests.engine.reference_model.builder import CPU, FLAVOR, cohort, groups, policy, queue
from tests.engine.reference_model.shares import share
from tests.engine.reference_model.tree import Tree

PAIR = (FLAVOR, CPU)


def tree(*nodes: QueueSpec | Cohort, **held: int) -> Tree:
    built = Tree(policy(*nodes))
    for name, amount in held.items():
        built.add(name, {PAIR: amount})
    return built


@pytest.mark.parametrize(
    ("nodes", "held", "available", "potential"),
    [
        pytest.param(
            (queue("A", 8, "R"), queue("B", 4, "R")),
            {"A": 6, "B": 3},
            {"A": 3, "B": 3},
            {"A": 12, "B": 12},
            id="E1-flat",
        ),
        pytest.param(
            (queue("A", (8, 2, None), "R"), queue("B", 4, "R")),
            {"A": 6},
            {"A": 4, "B": 6},
            {"A": 10, "B": 12},
            id="E2-borrowing-limit",
        ),
        pytest.param(
            (queue("A", (8, None, 3), "R"), queue("B", 4, "R")),
            {"A": 2},
            {"A": 10, "B": 7},
            {"A": 12, "B": 7},
            id="E3-lending-limit",
        ),
        pytest.param(
            (queue("A", (8, None, 3), "R"), queue("B", 4, "R")),
            {"A": 7},
            {"A": 5, "B": 5},
            {"A": 12, "B": 7},
            id="E3-lending-limit-reached",
        ),
        pytest.param(
            (queue("A", (8, 1, 3), "R"), queue("B", 4, "R")),
            {"A": 6},
            {"A": 3, "B": 6},
            {"A": 9, "B": 7},
            id="E4-both-limits",
        ),
        pytest.param(
            (queue("A", 8, "R"), queue("B", (4, 0, 0), "R")),
            {"A": 14},
            {"A": 0, "B": 0},
            {"A": 8, "B": 4},
            id="E6-over-use-zeroes-a-sibling",
        ),
        pytest.param(
            (queue("A", 8, "R"), queue("B", (4, 0, 0), "R")),
            {"A": 10, "B": 1},
            {"A": 0, "B": 1},
            {"A": 8, "B": 4},
            id="E6-over-use",
        ),
        pytest.param((queue("S", 5),), {"S": 3}, {"S": 2}, {"S": 5}, id="E7-no-cohort"),
        pytest.param(
            (
                cohort("R"),
                cohort("P", (0, 0, 0), "R"),
                queue("a", 0, "P"),
                queue("b", 6, "P"),
                queue("c", 9, "R"),
            ),
            {"b": 2, "c": 1},
            {"a": 4, "b": 4, "c": 8},
            {"a": 6, "b": 6, "c": 9},
            id="E8-sealed-cohort",
        ),
        pytest.param(
            (queue("A", (9, 1, None), "R"), queue("B", 12, "R")),
            {},
            {"A": 10, "B": 21},
            {"A": 10, "B": 21},
            id="E9-documented-pair-borrowing",
        ),
        pytest.param(
            (queue("A", 9, "R"), queue("B", (12, None, 1), "R")),
            {},
            {"A": 10, "B": 21},
            {"A": 10, "B": 21},
            id="E9-documented-pair-lending",
        ),
    ],
)
def test_available_and_potential_quota(
    engine: Engine,
    nodes: tuple[QueueSpec | Cohort, ...],
    held: dict[str, int],
    available: dict[str, int],
    potential: dict[str, int],
) -> None:
    world = policy(*nodes)
    assert (engine.available_quota(world, held), engine.potential_quota(world)) == (
        available,
        potential,
    )


NESTED = (
    cohort("R", 3),
    cohort("P", (2, 3, 4), "R"),
    queue("x", 6, "P"),
    queue("y", (4, None, 1), "P"),
    queue("Z", (10, 2, None), "R"),
)


def test_e5_nested_limits_at_rest(engine: Engine) -> None:
    world = policy(*NESTED)
    everything = {"x": 12, "y": 15, "Z": 12}
    assert (engine.available_quota(world, {}), engine.potential_quota(world)) == (
        everything,
        everything,
    )


USED = {"x": 5, "y": 4, "Z": 11}


def test_e5_nested_limits_in_use(engine: Engine) -> None:
    assert engine.available_quota(policy(*NESTED), USED) == {"x": 5, "y": 5, "Z": 1}


def test_e5_subtrees_of_the_model() -> None:
    built = tree(*NESTED, **USED)
    cohorts = spec_of(built.policy).cohorts
    assert (built.subtree(cohorts["P"], PAIR), built.local(cohorts["P"], PAIR)) == (9, 5)
    assert (built.potential(cohorts["P"], PAIR), built.subtree(cohorts["R"], PAIR)) == (12, 17)
    assert (built.usage(cohorts["P"], PAIR), built.usage(cohorts["R"], PAIR)) == (6, 12)


def test_e5_borrowing_levels_are_heights_of_the_tree(engine: Engine) -> None:
    assert engine.levels(policy(*NESTED), USED, "x", range(1, 8)) == [
        (0, True),
        (1, True),
        (1, True),
        (2, False),
        (2, False),
        (2, False),
        (2, False),
    ]


def test_e7_a_queue_without_a_cohort_never_borrows(engine: Engine) -> None:
    assert engine.levels(policy(queue("S", 5)), {"S": 3}, "S", [4]) == [(0, False)]


@pytest.mark.parametrize(
    ("weight", "value"),
    [(1, Fraction(200)), (2, Fraction(100)), (0.5, Fraction(400)), (0, None)],
)
def test_a_share_is_divided_by_the_weight(weight: float, value: Fraction | None) -> None:
    built = tree(queue("A", 5, "R", weight=weight), queue("B", 5, "R"), A=7)
    found = share(built, built.queue("A"))
    assert (found.value, found.resource, found.is_borrowing) == (value, CPU, True)


def test_a_share_sums_the_flavors_of_a_resource() -> None:
    own: tuple[ResourceGroup, ...] = groups({"fixed": 10, "spot": 10})
    built = Tree(policy(queue("A", 0, "R", groups=own), queue("B", {"fixed": 40, "spot": 40}, "R")))
    built.add("A", {("fixed", CPU): 25, ("spot", CPU): 20})
    assert share(built, built.queue("A")).value == Fraction(25 * 1000, 100)


def test_a_zero_weight_is_above_every_share_and_a_root_has_none() -> None:
    built = tree(
        queue("A", 5, "R", weight=0),
        queue("B", 5, "R"),
        queue("C", 5, "R", weight=0),
        A=6,
        B=9,
        C=7,
    )
    shares = {name: share(built, built.queue(name)) for name in "ABC"}
    assert shares["B"] < shares["A"] < shares["C"]
    assert share(built, spec_of(built.policy).cohorts["R"]).value == 0
