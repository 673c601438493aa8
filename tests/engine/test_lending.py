"""Lending: totals of loans in any tree, and the attribution of loans to lenders."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given

from console.engine.disciplines.quota.hierarchy import Hierarchy
from console.engine.disciplines.quota.ledger import Ledger
from console.engine.disciplines.quota.lending import Lending, Position, lending
from console.engine.disciplines.quota.spec import spec_of
from console.engine.disciplines.read_model import Loan, Member
from console.engine.model.amounts import UNLIMITED
from console.engine.model.policy import Policy
from tests.engine.quota_trees import KEY, cohort, policy, queue, worlds


def lent(world: Policy, **used: int) -> Lending:
    return lending(world, {name: {KEY: amount} for name, amount in used.items()})


def pairs(found: Lending) -> list[tuple[str, str, int, bool]]:
    return [(loan.borrower, loan.lender, loan.amount, loan.is_certain) for loan in found.loans]


def test_one_borrows_from_the_only_one_that_lends() -> None:
    found = lent(policy(cohort("R"), queue("A", "R", 8), queue("B", "R", 4)), A=10, B=1)
    assert found == Lending(
        {
            ("A", KEY): Position(own=8, borrowed=2),
            ("B", KEY): Position(own=1, lent=2),
        },
        (
            Loan(
                flavor="any",
                resource="gpu",
                borrower="A",
                lender="B",
                is_from_cohort=False,
                cohort="R",
                amount=2,
                is_certain=True,
            ),
        ),
    )
    assert found.position("B", ("other", "gpu")) == Position()


FLAT = policy(
    cohort("R", nominal=1),
    queue("A", "R", 0),
    queue("B", "R", 0),
    queue("C", "R", 6),
    queue("D", "R", 3),
)


@pytest.mark.parametrize(
    ("used", "loans"),
    [
        ({"A": 1}, [("A", "R", 1, False)]),
        ({"A": 4}, [("A", "R", 1, False), ("A", "C", 2, False), ("A", "D", 1, False)]),
        ({"A": 10}, [("A", "R", 1, True), ("A", "C", 6, True), ("A", "D", 3, True)]),
        ({"A": 3, "B": 1, "C": 6}, [("A", "R", 1, False), ("A", "D", 2, False),
                                    ("B", "D", 1, False)]),
        ({"A": 4, "C": 6, "D": 3}, [("A", "R", 1, True)]),
        ({"A": 2, "B": 2, "C": 5, "D": 3}, [("A", "R", 1, False), ("B", "C", 1, False)]),
    ],
)  # fmt: skip
def test_a_cohort_gives_its_own_first_and_queues_in_proportion(
    used: dict[str, int], loans: list[tuple[str, str, int, bool]]
) -> None:
    assert pairs(lent(FLAT, **used)) == loans


def test_whole_units_are_not_split() -> None:
    world = policy(cohort("R"), queue("A", "R", 0), *(queue(name, "R", 2000) for name in "BCD"))
    assert pairs(lent(world, A=2000)) == [("A", "B", 1000, False), ("A", "C", 1000, False)]
    assert pairs(lent(world, A=2500)) == [
        ("A", "B", 834, False),
        ("A", "C", 833, False),
        ("A", "D", 833, False),
    ]


def test_whole_units_of_bytes_are_not_split() -> None:
    gibi = 2**30 * 1000
    queues = [queue(name, "R", 2 * gibi) for name in "BCD"]
    world = policy(cohort("R"), queue("A", "R", 0), *queues)
    assert pairs(lent(world, A=2 * gibi)) == [("A", "B", gibi, False), ("A", "C", gibi, False)]


NESTED = policy(
    cohort("R", nominal=3),
    cohort("P", "R", nominal=2, lend=4),
    cohort("Z", "R"),
    queue("x", "P", 6),
    queue("y", "P", 4, lend=1),
    queue("z", "Z", 10),
)


@pytest.mark.parametrize(
    ("used", "loans"),
    [
        # The nearest cohort lends first, even if others have more.
        ({"x": 8}, [("x", "P", "P", 2)]),
        ({"x": 9}, [("x", "P", "P", 2), ("x", "y", "P", 1)]),
        # The rest comes from above: the root's own quota, then queues of the other cohort.
        ({"x": 14}, [("x", "P", "P", 2), ("x", "y", "P", 1), ("x", "R", "R", 3),
                     ("x", "z", "R", 2)]),
        # P lends at most 4 of its 9, its own quota first, and y lends at most 1 of its 4.
        ({"z": 17}, [("z", "R", "R", 3), ("z", "P", "R", 2), ("z", "x", "R", 2)]),
        ({"z": 17, "x": 6}, [("z", "R", "R", 3), ("z", "P", "R", 2), ("z", "y", "R", 1)]),
    ],
)  # fmt: skip
def test_nested_cohorts_cover_their_own_first(
    used: dict[str, int], loans: list[tuple[str, str, str, int]]
) -> None:
    found = lent(NESTED, **used)
    assert [(each.borrower, each.lender, each.cohort, each.amount) for each in found.loans] == loans


def test_usage_beyond_all_lenders_is_over_quota() -> None:
    world = policy(
        cohort("R"),
        queue("A", "R", 8),
        queue("B", "R", 4, lend=0),
        queue("C", "R", 2),
        queue("alone", None, 1),
    )
    found = lent(world, A=12, C=1, alone=3)
    assert found.positions == {
        ("A", KEY): Position(own=8, borrowed=1, over=3),
        ("C", KEY): Position(own=1, lent=1),
        ("alone", KEY): Position(own=1, over=2),
    }


def test_a_queue_without_limit_lends_whatever_is_drawn() -> None:
    world = policy(cohort("R"), queue("A", "R", 0), queue("B", "R", 5), queue("C", "R", UNLIMITED))
    assert lent(world, A=7, C=10**9).positions == {
        ("A", KEY): Position(borrowed=7, is_certain=False),
        ("C", KEY): Position(own=10**9, lent=7, is_certain=False),
    }


def test_a_queue_that_is_gone_takes_no_part() -> None:
    assert lent(FLAT, gone=5) == Lending({}, ())


def test_the_members_of_a_tree_come_in_the_order_of_the_text() -> None:
    trees = Hierarchy(NESTED)
    assert trees.roots == ("R",)
    assert list(trees.below("R")) == [
        Member("P", True, "R", 1),
        Member("x", False, "P", 2),
        Member("y", False, "P", 2),
        Member("Z", True, "R", 1),
        Member("z", False, "Z", 2),
    ]
    assert trees.queues_below("R") == ("x", "y", "z")
    assert (trees.path("R"), trees.path("Z")) == ((), ("R",))
    assert (trees.queues("P"), trees.cohorts("R"), trees.cohorts("P")) == (
        ("x", "y"),
        ("P", "Z"),
        (),
    )


@given(worlds())
def test_the_accounts_of_every_queue_add_up(world: tuple[Policy, dict[str, int]]) -> None:
    config, used = world
    found = lent(config, **used)
    for name, node in config.queues.items():
        quota = node.groups[0].flavors[0].quotas[KEY[1]]
        position = found.position(name, KEY)
        assert used[name] == position.own + position.borrowed + position.over
        assert min(position.own, position.borrowed, position.over, position.lent) >= 0
        assert position.own == min(used[name], quota.nominal)
        assert not (position.borrowed and position.lent)
        assert position.own + position.lent <= quota.nominal
        assert position.lent <= quota.lending_limit


@given(worlds())
def test_loans_are_what_is_borrowed_and_what_is_lent(world: tuple[Policy, dict[str, int]]) -> None:
    config, used = world
    found = lent(config, **used)
    borrowed, given_out = Counter[str](), Counter[str]()
    trees = Hierarchy(config)
    for loan in found.loans:
        assert loan.amount > 0
        borrowed[loan.borrower] += loan.amount
        given_out[loan.lender] += loan.amount
        below = {member.name for member in trees.below(loan.cohort)} | {loan.cohort}
        assert {loan.borrower, loan.lender} <= below
        for inner in trees.cohorts(loan.cohort):
            inside = {member.name for member in trees.below(inner)} | {inner}
            assert not {loan.borrower, loan.lender} <= inside
    assert len({(loan.borrower, loan.lender) for loan in found.loans}) == len(found.loans)
    for name in config.queues:
        position = found.position(name, KEY)
        assert (borrowed[name], given_out[name]) == (position.borrowed, position.lent)
    for name, node in spec_of(config).cohorts.items():
        quota = node.groups[0].flavors[0].quotas[KEY[1]]
        assert given_out[name] <= quota.nominal
        inside = {member.name for member in trees.below(name)} | {name}
        leaving = [
            loan for loan in found.loans if loan.lender in inside and loan.borrower not in inside
        ]
        entering = [
            loan for loan in found.loans if loan.borrower in inside and loan.lender not in inside
        ]
        assert sum(loan.amount for loan in leaving) <= quota.lending_limit
        assert not (leaving and entering)


@given(worlds())
def test_over_quota_is_the_deficit_of_the_root(world: tuple[Policy, dict[str, int]]) -> None:
    config, used = world
    ledger = Ledger(config)
    for name, amount in used.items():
        ledger.add(name, {KEY: amount})
    found = lent(config, **used)
    for root in Hierarchy(config).roots:
        queues = Hierarchy(config).queues_below(root)
        if not queues:
            continue
        node = ledger.queue(queues[0])
        while node.parent is not None:
            node = node.parent
        over = sum(found.position(name, KEY).over for name in queues)
        free = node.available(KEY)
        assert over == (max(0, -free) if isinstance(free, int) else 0)
        borrowed = sum(found.position(name, KEY).borrowed for name in queues)
        assert borrowed == sum(loan.amount for loan in found.loans if loan.borrower in queues)
