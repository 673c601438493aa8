"""Capacity nodes agree with the ledger, and satisfy the identities of all disciplines."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from console.engine.disciplines import load_discipline
from console.engine.disciplines.quota.hierarchy import Hierarchy
from console.engine.disciplines.quota.ledger import Ledger
from console.engine.disciplines.quota.lending import lending
from console.engine.disciplines.quota.shares import dominant_share
from console.engine.disciplines.quota.spec import FairStrategy, QuotaSettings, spec_of, with_spec
from console.engine.disciplines.read_model import Capacity, FairShare
from console.engine.model.amounts import UNLIMITED, Amount, Unlimited
from console.engine.model.capacity_node import CapacityNode
from console.engine.model.policy import Policy
from tests.engine.quota_trees import KEY, cohort, policy, queue, worlds

#: Drawing a tree may be slow on a busy machine.
PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

RESOURCE = KEY[1]


def capacity_of(world: tuple[Policy, dict[str, int]]) -> Capacity:
    config, used = world
    discipline = load_discipline(config.discipline)
    return discipline.capacity(config, {name: {KEY: amount} for name, amount in used.items()})


def alone(guaranteed: Amount, used: int, **more: Any) -> CapacityNode:
    node = CapacityNode(
        kind="queue",
        path=("q",),
        flavor=KEY[0],
        resource=RESOURCE,
        guaranteed=guaranteed,
        limit=guaranteed,
        used=used,
        entitled=guaranteed,
        demand=0,
        cannot_run_demand=0,
    )
    return replace(node, **more)


@given(worlds())
@PATIENT
def test_nodes_of_queues_agree_with_the_ledger(world: tuple[Policy, dict[str, int]]) -> None:
    config, used = world
    capacity, ledger, trees = capacity_of(world), Ledger(config), Hierarchy(config)
    for name, amount in used.items():
        ledger.add(name, {KEY: amount})
    found = lending(config, {name: {KEY: amount} for name, amount in used.items()})
    for name, amount in used.items():
        (node,) = capacity.queue_nodes(name, {RESOURCE: 7}, {RESOURCE: 2})
        cell, position = ledger.queue(name).cell(KEY), found.position(name, KEY)
        parent = config.queues[name].parent
        assert node == CapacityNode(
            kind="queue",
            path=(*trees.path(parent), parent, name) if parent else (name,),
            flavor=KEY[0],
            resource=RESOURCE,
            guaranteed=cell.nominal,
            limit=cell.potential,
            used=amount,
            entitled=max(0, cell.available + amount),
            demand=7,
            cannot_run_demand=2,
            extras={
                "own": position.own,
                "borrowed": position.borrowed,
                "over": position.over,
                "lent": position.lent,
                "is_certain": position.is_certain,
                "borrowing_limit": cell.quota.borrowing_limit,
                "lending_limit": cell.quota.lending_limit,
            },
        )
        assert node.name == name
        assert node.available == max(0, cell.available)
    assert capacity.loans == found.loans


@given(worlds())
@PATIENT
def test_node_of_every_queue_is_consistent(world: tuple[Policy, dict[str, int]]) -> None:
    capacity = capacity_of(world)
    for name, amount in world[1].items():
        (node,) = capacity.queue_nodes(name, {RESOURCE: 7})
        assert (node.key, node.used, node.demand) == (KEY, amount, 7)
        assert node.is_consistent
        assert node.own + node.borrowed + node.over == node.used
        assert node.own <= node.guaranteed
        assert node.own + node.lent <= node.guaranteed
        assert not (node.borrowed and node.lent)
        assert node.limit >= node.guaranteed
        if node.used <= node.limit and isinstance(node.available, int):
            # The limit equals the available quota when no other queue uses any.
            assert node.used + node.available <= node.limit


@given(worlds())
@PATIENT
def test_node_of_every_cohort_is_consistent(world: tuple[Policy, dict[str, int]]) -> None:
    capacity = capacity_of(world)
    queues = {name: capacity.queue_nodes(name, {RESOURCE: 1}) for name in world[0].queues}
    tree = capacity.tree
    assert tree.names == tuple(spec_of(world[0]).cohorts)
    for name in tree.names:
        (pool,) = capacity.cohort_nodes(name, queues)
        owned, deposited = pool.amount("owned"), pool.amount("deposited")
        assert (pool.kind, pool.path) == ("cohort", (*tree.path(name), name))
        assert pool.guaranteed == owned + deposited
        assert pool.is_consistent
        assert pool.own + pool.borrowed + pool.over == pool.used
        assert min(pool.own, pool.borrowed, pool.over, pool.lent) >= 0
        assert pool.own + pool.lent <= pool.guaranteed
        assert not (pool.borrowed and pool.lent)
        assert pool.demand == len(tree.queues_below(name))
        inner = [capacity.cohort_nodes(each, queues)[0] for each in tree.cohorts(name)]
        direct = [queues[each][0] for each in tree.queues(name)]
        assert pool.over == sum(each.over for each in (*inner, *direct))
        if name in tree.roots:
            assert (pool.borrowed, pool.lent, pool.limit) == (0, 0, pool.guaranteed)
            if not isinstance(pool.guaranteed, Unlimited):
                assert pool.available == max(0, pool.guaranteed - pool.used)


@given(worlds())
@PATIENT
def test_organization_node_sums_queues_and_cohorts(
    world: tuple[Policy, dict[str, int]],
) -> None:
    config, used = world
    capacity = capacity_of(world)
    queues = [node for name in used for node in capacity.queue_nodes(name, {RESOURCE: 3})]
    owned: Amount = 0
    for owner in (*config.queues.values(), *spec_of(config).cohorts.values()):
        owned = owned + owner.groups[0].flavors[0].quotas[RESOURCE].nominal
    (node,) = load_discipline(config.discipline).organization_nodes(config, queues)
    assert node == CapacityNode(
        kind="organization",
        path=(),
        flavor=KEY[0],
        resource=RESOURCE,
        guaranteed=owned,
        limit=owned,
        used=sum(used.values()),
        entitled=owned,
        demand=3 * len(used),
        cannot_run_demand=0,
    )
    assert (node.name, node.is_consistent, node.borrowed, node.lent) == ("", True, 0, 0)


def test_removed_queue_shows_usage_of_running_workloads() -> None:
    config = policy(cohort("R"), queue("A", "R", 8))
    (node,) = capacity_of((config, {"gone": 3})).queue_nodes("gone", {RESOURCE: 5})
    assert (node.guaranteed, node.limit, node.used, node.available) == (0, 0, 3, 0)
    assert (node.own, node.borrowed, node.over, node.demand) == (0, 0, 3, 0)
    assert (node.path, node.amount("borrowing_limit"), node.is_consistent) == (("gone",), 0, True)


def test_fair_shares_are_those_of_the_ledger_with_the_weight_of_the_node() -> None:
    config = policy(cohort("R", nominal=4), queue("A", "R", 2), queue("B", "R", 2))
    assert capacity_of((config, {"A": 5})).share("A") is None
    fair = with_spec(config, settings=QuotaSettings(fair_sharing=(FairStrategy.FINAL_SHARE,)))
    zero = {**fair.queues, "B": replace(fair.queues["B"], fair_weight=0)}
    fair = with_spec(fair, queues=zero)
    ledger = Ledger(fair)
    used = {"A": 5, "B": 3}
    for name, amount in used.items():
        ledger.add(name, {KEY: amount})
    capacity = capacity_of((fair, used))
    value = dominant_share(ledger.queue("A")).thousandths()
    assert value
    assert capacity.share("A") == FairShare(thousandths=value, resource=RESOURCE)
    assert capacity.share("B") == FairShare(thousandths=None, weight=0, resource=RESOURCE)
    assert capacity.share("R", is_cohort=True) == FairShare()
    # A node has its weight even if it borrows nothing.
    assert capacity_of((fair, {})).share("B") == FairShare(weight=0)


@pytest.mark.parametrize(
    ("node", "parts"),
    [
        (alone(8, 5), (5, 0, 0, 0)),
        (alone(8, 12), (8, 0, 4, 0)),
        (alone(UNLIMITED, 12), (12, 0, 0, 0)),
        (alone(8, 12, extras={"borrowed": 3}), (8, 3, 1, 0)),
        (alone(8, 2, extras={"own": 2, "lent": 5}), (2, 0, 0, 5)),
    ],
)
def test_discipline_may_omit_unknown_amounts(
    node: CapacityNode, parts: tuple[int, int, int, int]
) -> None:
    assert (node.own, node.borrowed, node.over, node.lent) == parts
    assert (node.is_consistent, node.is_certain) == (True, True)
    assert node.amount("borrowing_limit") is UNLIMITED


@pytest.mark.parametrize(
    ("node", "pressure"),
    [
        (alone(8, 4, demand=8), 1.5),
        (alone(0, 0), 0.0),
        (alone(0, 0, demand=1), 2.0),
        (alone(8, 4, limit=16, entitled=6, demand=8), 2.0),
        (alone(UNLIMITED, 4, demand=8), 0.0),
        (alone(8, 4, limit=UNLIMITED, entitled=UNLIMITED), 0.0),
    ],
)
def test_pressure_is_used_plus_requested_over_entitled(node: CapacityNode, pressure: float) -> None:
    assert node.pressure == pressure


def test_quota_has_columns_and_sections() -> None:
    discipline = load_discipline("quota")
    assert [(each.key, each.title, each.unit.value) for each in discipline.columns()] == [
        ("guaranteed", "Nominal", "amount"),
        ("used", "Used", "amount"),
        ("borrowed", "Borrowed or lent", "exchange"),
        ("available", "Available", "amount"),
        ("demand", "Requested", "demand"),
    ]
    assert [(each.key, each.title) for each in discipline.sections()] == [("cohorts", "Cohorts")]
