"""The ledger: worked examples of quota trees, and properties of random trees."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.engine.disciplines.quota.ledger import Ledger, Node
from console.engine.disciplines.quota.spec import (
    Cohort,
    FlavorQuotas,
    QueueSpec,
    Quota,
    ResourceGroup,
    quota_policy,
)
from console.engine.model.amounts import UNLIMITED, Amount, Unlimited
from console.engine.model.policy import Policy
from console.engine.state import State

KEY = ("any", "gpu")


@dataclass(frozen=True)
class Owner:
    """A queue or cohort of one flavor-resource: nominal, borrowing limit, lending limit."""

    name: str
    parent: str | None
    nominal: Amount = 0
    borrow: Amount = UNLIMITED
    lend: Amount = UNLIMITED


def policy(cohorts: list[Owner], queues: list[Owner]) -> Policy:
    return quota_policy(
        "native",
        queues={q.name: QueueSpec(name=q.name, parent=q.parent, groups=_groups(q)) for q in queues},
        cohorts={c.name: Cohort(name=c.name, parent=c.parent, groups=_groups(c)) for c in cohorts},
    )


def tree(cohorts: list[Owner], queues: list[Owner]) -> Ledger:
    return Ledger(policy(cohorts, queues))


def _groups(owner: Owner) -> tuple[ResourceGroup, ...]:
    quota = Quota(nominal=owner.nominal, borrowing_limit=owner.borrow, lending_limit=owner.lend)
    return (
        ResourceGroup(
            resources=("gpu",), flavors=(FlavorQuotas(flavor="any", quotas={"gpu": quota}),)
        ),
    )


def use(ledger: Ledger, **usage: int) -> Ledger:
    for name, amount in usage.items():
        ledger.add(name, {KEY: amount})
    return ledger


def available(ledger: Ledger, *names: str) -> dict[str, Amount]:
    return {name: ledger.queue(name).available(KEY) for name in names}


def potential(ledger: Ledger, *names: str) -> dict[str, Amount]:
    return {name: ledger.queue(name).potential(KEY) for name in names}


def cohort_above(ledger: Ledger, queue: str, levels: int = 1) -> Node:
    node = ledger.queue(queue)
    for _ in range(levels):
        assert node.parent is not None
        node = node.parent
    return node


R = [Owner("R", None)]


def test_e1_flat_without_limits() -> None:
    ledger = use(tree(R, [Owner("A", "R", 8), Owner("B", "R", 4)]), A=6, B=3)
    root = cohort_above(ledger, "A")
    assert (root.subtree(KEY), root.usage[KEY]) == (12, 9)
    assert available(ledger, "A", "B") == {"A": 3, "B": 3}
    assert potential(ledger, "A", "B") == {"A": 12, "B": 12}


def test_e2_borrowing_limit() -> None:
    ledger = use(tree(R, [Owner("A", "R", 8, borrow=2), Owner("B", "R", 4)]), A=6)
    assert available(ledger, "A", "B") == {"A": 4, "B": 6}
    assert potential(ledger, "A", "B") == {"A": 10, "B": 12}


@pytest.mark.parametrize(
    ("used", "root_used", "a", "b"), [(0, None, 12, 7), (2, None, 10, 7), (7, 2, 5, 5)]
)
def test_e3_lending_limit(used: int, root_used: int | None, a: int, b: int) -> None:
    ledger = use(tree(R, [Owner("A", "R", 8, lend=3), Owner("B", "R", 4)]), A=used)
    root = cohort_above(ledger, "A")
    assert root.subtree(KEY) == 7
    assert root.usage.get(KEY) == root_used
    assert available(ledger, "A", "B") == {"A": a, "B": b}
    assert potential(ledger, "A", "B") == {"A": 12, "B": 7}


@pytest.mark.parametrize(("used", "a", "b"), [(0, 9, 7), (6, 3, 6)])
def test_e4_both_limits(used: int, a: int, b: int) -> None:
    ledger = use(tree(R, [Owner("A", "R", 8, borrow=1, lend=3), Owner("B", "R", 4)]), A=used)
    assert available(ledger, "A", "B") == {"A": a, "B": b}
    assert potential(ledger, "A", "B") == {"A": 9, "B": 7}


def test_e5_nested_with_limits_on_cohorts() -> None:
    ledger = tree(
        [Owner("R", None, 3), Owner("P", "R", 2, borrow=3, lend=4)],
        [Owner("x", "P", 6), Owner("y", "P", 4, lend=1), Owner("Z", "R", 10, borrow=2)],
    )
    p, root = cohort_above(ledger, "x"), cohort_above(ledger, "x", 2)
    assert (p.subtree(KEY), p.cell(KEY).deposit, root.subtree(KEY)) == (9, 4, 17)
    assert potential(ledger, "x", "y", "Z") == {"x": 12, "y": 15, "Z": 12}
    assert p.potential(KEY) == 12
    assert available(ledger, "x", "y", "Z") == {"x": 12, "y": 15, "Z": 12}
    use(ledger, x=5, y=4, Z=11)
    assert (p.usage[KEY], root.usage[KEY], root.available(KEY), p.available(KEY)) == (6, 12, 5, 5)
    assert available(ledger, "x", "y", "Z") == {"x": 5, "y": 5, "Z": 1}


@pytest.mark.parametrize(("a_used", "b_used", "a", "b"), [(14, 0, -6, -2), (10, 1, -2, 1)])
def test_e6_over_use_of_a_sibling_is_felt(a_used: int, b_used: int, a: int, b: int) -> None:
    ledger = tree(R, [Owner("A", "R", 8), Owner("B", "R", 4, borrow=0, lend=0)])
    use(ledger, A=a_used, B=b_used)
    assert available(ledger, "A", "B") == {"A": a, "B": b}


def test_e7_without_a_cohort() -> None:
    ledger = use(tree([], [Owner("S", None, 5)]), S=3)
    assert (available(ledger, "S"), potential(ledger, "S")) == ({"S": 2}, {"S": 5})


def test_e8_a_sealed_cohort() -> None:
    ledger = tree(
        [Owner("R", None), Owner("P", "R", 0, borrow=0, lend=0)],
        [Owner("a", "P", 0), Owner("b", "P", 6), Owner("c", "R", 9)],
    )
    use(ledger, b=2, c=1)
    p = cohort_above(ledger, "a")
    assert (p.subtree(KEY), p.cell(KEY).deposit) == (6, 0)
    assert available(ledger, "a", "c") == {"a": 4, "c": 8}
    assert potential(ledger, "a", "c") == {"a": 6, "c": 9}


@pytest.mark.parametrize(
    ("borrow", "lend", "first", "second"),
    [(UNLIMITED, UNLIMITED, 21, 21), (1, UNLIMITED, 10, 21), (UNLIMITED, 1, 10, 21)],
)
def test_e9_the_documented_pair(borrow: Amount, lend: Amount, first: int, second: int) -> None:
    ledger = tree(R, [Owner("one", "R", 9, borrow=borrow), Owner("two", "R", 12, lend=lend)])
    assert potential(ledger, "one", "two") == {"one": first, "two": second}
    assert available(ledger, "one", "two") == {"one": first, "two": second}


def test_unlimited_quota_is_never_used_up() -> None:
    ledger = use(tree([], [Owner("S", None, UNLIMITED)]), S=10**15)
    assert available(ledger, "S") == {"S": UNLIMITED}
    assert potential(ledger, "S") == {"S": UNLIMITED}


def test_unlimited_quota_in_a_cohort_is_lent_without_end_or_up_to_its_limit() -> None:
    free = use(tree(R, [Owner("A", "R", UNLIMITED), Owner("B", "R", 4)]), A=100, B=50)
    assert available(free, "A", "B") == {"A": UNLIMITED, "B": UNLIMITED}
    bound = use(tree(R, [Owner("A", "R", UNLIMITED, lend=3), Owner("B", "R", 4)]), A=100, B=5)
    assert available(bound, "A", "B") == {"A": UNLIMITED, "B": 2}
    assert potential(bound, "B") == {"B": 7}


def test_a_queue_that_is_gone_has_no_quota_and_keeps_its_usage() -> None:
    ledger = use(tree([], [Owner("S", None, 5)]), gone=3)
    assert (available(ledger, "gone"), potential(ledger, "gone")) == ({"gone": -3}, {"gone": 0})
    ledger.remove("gone", {KEY: 3})
    assert ledger.queue("gone").usage == {}


amounts = st.one_of(st.integers(0, 12), st.integers(0, 12), st.just(UNLIMITED))


@st.composite
def trees(draw: st.DrawFn) -> tuple[Ledger, list[str]]:
    cohorts = [Owner("R", None, draw(amounts))]
    for index in range(draw(st.integers(0, 3))):
        parent = draw(st.sampled_from([c.name for c in cohorts]))
        cohorts.append(Owner(f"c{index}", parent, *draw(st.tuples(amounts, amounts, amounts))))
    queues = [
        Owner(
            f"q{index}",
            draw(st.sampled_from([None, *[c.name for c in cohorts]])),
            *draw(st.tuples(amounts, amounts, amounts)),
        )
        for index in range(draw(st.integers(1, 4)))
    ]
    return tree(cohorts, queues), [q.name for q in queues]


def nodes(ledger: Ledger, names: list[str]) -> list[Node]:
    found: dict[int, Node] = {}
    for name in names:
        node: Node | None = ledger.queue(name)
        while node is not None:
            found[id(node)] = node
            node = node.parent
    return list(found.values())


@given(trees(), st.data())
def test_adding_and_removing_usage_in_any_order_cancels_out(
    world: tuple[Ledger, list[str]], data: st.DataObject
) -> None:
    ledger, names = world
    uses = data.draw(st.lists(st.tuples(st.sampled_from(names), st.integers(1, 9))))
    for name, amount in uses:
        ledger.add(name, {KEY: amount})
    for name, amount in data.draw(st.permutations(uses)):
        ledger.remove(name, {KEY: amount})
    assert [node.usage for node in nodes(ledger, names)] == [{} for _ in nodes(ledger, names)]


@given(trees(), st.data())
def test_a_cohort_holds_what_overflows_from_its_children(
    world: tuple[Ledger, list[str]], data: st.DataObject
) -> None:
    ledger, names = world
    for name, amount in data.draw(st.lists(st.tuples(st.sampled_from(names), st.integers(1, 9)))):
        ledger.add(name, {KEY: amount})
    for node in nodes(ledger, names):
        if node.children:
            overflow = sum(c.cell(KEY).drawn for c in node.children)
            assert node.usage.get(KEY, 0) == overflow


@given(trees(), st.data())
def test_usage_within_available_overdraws_no_other_queue(
    world: tuple[Ledger, list[str]], data: st.DataObject
) -> None:
    ledger, names = world
    for name, amount in data.draw(st.lists(st.tuples(st.sampled_from(names), st.integers(1, 9)))):
        if amount <= ledger.queue(name).available(KEY):
            ledger.add(name, {KEY: amount})
    for name in names:
        node = ledger.queue(name)
        free, top = node.available(KEY), node.potential(KEY)
        assert free >= 0
        used = node.usage.get(KEY, 0)
        assert isinstance(top, Unlimited) or used <= top


def test_sparse_state_reuses_a_ledger_with_usage() -> None:
    owned = policy([Owner("ml", None)], [Owner("a", "ml", nominal=4), Owner("b", "ml", nominal=2)])
    ledger = Ledger(owned)
    ledger.add("a", {KEY: 5})
    state = State(owned, is_sparse=True, ledger=ledger)
    state.charge("b", {KEY: 1})
    assert state.queue("b").account is ledger.queue("b")
    assert (state.usage("a"), state.usage("b")) == ({KEY: 5}, {KEY: 1})
    assert ledger.cohort("ml").cell(KEY).used == 6
