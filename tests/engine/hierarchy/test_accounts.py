"""What pages show of queues apart from decisions: accounts, capacity, rejections, consequences."""

from __future__ import annotations

import pytest

from console.engine.disciplines.hierarchy.consequences import consequences
from console.engine.disciplines.hierarchy.eligibility import HierarchyJudge
from console.engine.disciplines.hierarchy.inheritance import (
    maximum_of,
    properties_of,
    submitters,
    template_of,
)
from console.engine.disciplines.hierarchy.ledger import HierarchyLedger
from console.engine.disciplines.hierarchy.queue_tree import QueueTree
from console.engine.disciplines.hierarchy.read_model import HierarchyCapacity, organization_nodes
from console.engine.disciplines.hierarchy.reasons import GANG_TOO_LARGE
from console.engine.disciplines.hierarchy.spec import hierarchy_of
from console.engine.disciplines.read_model import Member
from console.engine.explain.consequences import consequence_sentence
from console.engine.model.amounts import UNLIMITED
from console.engine.model.capacity_node import CapacityNode
from console.engine.model.history import Live
from console.engine.model.policy import Policy
from console.engine.model.workload import PodSet, Workload
from tests.engine.hierarchy.configs import LAB, compiled

CPU = ("pool", "cpu")
VCORE = ("pool", "vcore")
MEMORY = ("pool", "memory")
CREATED = "root.spaces.web"
#: A queue below a leaf, which a config cannot have.
GONE = "root.lab.a.gone"


@pytest.fixture
def lab() -> Policy:
    return compiled(LAB)


# Accounts


def test_accounts_count_usage_upwards_and_the_smallest_maximum_limits(lab: Policy) -> None:
    ledger = HierarchyLedger(hierarchy_of(lab))
    ledger.add("root.lab.a", {CPU: 3000})
    ledger.add("root.lab.b", {CPU: 4000, MEMORY: 10})
    ledger.add(CREATED, {CPU: 1000})
    ledger.add(GONE, {CPU: 500})
    names = ("root", "root.lab", "root.lab.a", "root.lab.b", CREATED, GONE)
    accounts = {name: ledger.queue(name) for name in names}
    assert {name: each.used(CPU) for name, each in accounts.items()} == {
        "root": 8000,
        "root.lab": 7000,
        "root.lab.a": 3000,
        "root.lab.b": 4000,
        CREATED: 1000,
        GONE: 500,
    }
    assert {name: each.limit(CPU) for name, each in accounts.items()} == {
        "root": UNLIMITED,
        "root.lab": 10_000,
        "root.lab.a": 6000,
        "root.lab.b": 10_000,
        CREATED: 4000,
        GONE: 0,
    }
    assert {name: each.available(CPU) for name, each in accounts.items()} == {
        "root": UNLIMITED,
        "root.lab": 3000,
        "root.lab.a": 3000,
        "root.lab.b": 3000,
        CREATED: 3000,
        GONE: -500,
    }
    assert [each.over(CPU) for each in accounts.values()] == [8000, 0, 1000, 4000, 1000, 500]
    assert accounts[CREATED].root is accounts["root"].root is ledger.root
    assert accounts[GONE].root is accounts[GONE]
    copy = ledger.copy(ledger.root)
    ledger.remove("root.lab.a", {CPU: 3000})
    assert (copy.queue("root").used(CPU), copy.queue(GONE).used(CPU)) == (8000, 0)
    assert (accounts["root.lab.a"].usage, accounts["root.lab"].used(CPU)) == ({}, 4000)


def test_accounts_follow_another_policy(lab: Policy) -> None:
    ledger = HierarchyLedger(hierarchy_of(lab))
    ledger.add("root.lab.a", {CPU: 3000})
    ledger.add(CREATED, {CPU: 1000})
    without = compiled("partitions: [{queues: [{name: lab}, {name: spaces, parent: true}]}]")
    ledger.adapt(lab, without, list(lab.queues))
    assert (ledger.knows("root.lab.a"), ledger.knows(CREATED)) == (False, True)
    names = ("root.lab", "root.lab.a", CREATED, "root.spaces", "root")
    assert [ledger.queue(each).used(CPU) for each in names] == [0, 3000, 1000, 1000, 1000]
    assert ledger.queue(CREATED).limit(CPU) is UNLIMITED
    ledger.adapt(without, lab, list(lab.queues))
    assert [ledger.queue(each).used(CPU) for each in ("root", "root.lab")] == [4000, 3000]


# Inheritance


def test_created_queues_have_the_settings_of_their_template(lab: Policy) -> None:
    spec = hierarchy_of(lab)
    assert properties_of(spec, CREATED) == {"preemption.delay": "5s"}
    assert maximum_of(spec, CREATED) == {"vcore": 4000}
    assert submitters(spec, CREATED).is_all_users
    found = template_of(spec, CREATED)
    assert found is not None
    assert (found.queue, found.template.applications) == ("root.spaces", 3)
    assert template_of(spec, "root.lab.a") is None


def test_those_who_may_submit_are_named_by_queues_on_the_path(lab: Policy) -> None:
    assert submitters(hierarchy_of(lab), "root.lab.a") == (False, ("ann", "sue"), ("staff", "team"))
    assert submitters(hierarchy_of(lab), "root") == (False, (), ())


# Capacity nodes


def _figures(node: CapacityNode) -> tuple[object, ...]:
    extras = node.extras["borrowed"], node.extras["share"]
    return (node.guaranteed, node.limit, node.used, node.entitled, node.demand, *extras)


def test_nodes_of_queues_parents_and_the_organization(lab: Policy) -> None:
    used = {"root.lab.a": {CPU: 3000}, CREATED: {CPU: 1000}, GONE: {CPU: 500}}
    capacity = HierarchyCapacity(lab, used)
    leaves = ("root.lab.a", "root.lab.b", CREATED)
    nodes = {name: capacity.queue_nodes(name, {"cpu": 2000}) for name in leaves}
    nodes[GONE] = capacity.queue_nodes(GONE, {})
    by_cpu = {name: {each.key: each for each in some}.get(VCORE) for name, some in nodes.items()}
    assert {name: _figures(each) for name, each in by_cpu.items() if each is not None} == {
        "root.lab.a": (2000, 6000, 3000, 6000, 2000, 1000, 1500),
        "root.lab.b": (0, 10_000, 0, 7000, 2000, 0, 0),
        CREATED: (0, 4000, 1000, 4000, 2000, 1000, 250),
    }
    assert [each.key for each in nodes["root.lab.a"]] == [VCORE, MEMORY]
    assert [(each.key, each.used, each.limit) for each in nodes[GONE]] == [(CPU, 500, 0)]
    (parent, _) = capacity.cohort_nodes("root.lab", nodes)
    assert _figures(parent) == (8000, 10_000, 3000, 10_000, 4000, 0, 375)
    assert parent.path == ("root", "root.lab")
    everything = [node for some in nodes.values() for node in some]
    found = {each.key: each for each in organization_nodes(hierarchy_of(lab), everything)}
    assert (found[VCORE].guaranteed, found[VCORE].used, found[VCORE].demand) == (8000, 4000, 6000)


def test_parent_queues_are_cohorts(lab: Policy) -> None:
    tree = QueueTree(hierarchy_of(lab))
    assert tree.names == ("root", "root.lab", "root.spaces")
    assert tree.roots == ("root",)
    assert tree.queues("root.lab") == ("root.lab.a", "root.lab.b")
    assert tree.path("root.lab") == ("root",)
    assert list(tree.below("root")) == [
        Member("root.lab", True, "root", 1),
        Member("root.lab.a", False, "root.lab", 2),
        Member("root.lab.b", False, "root.lab", 2),
        Member("root.spaces", True, "root", 1),
    ]
    assert tree.queues_below("root") == ("root.lab.a", "root.lab.b")
    assert tree.around("root.lab.a") == tuple(lab.queues)


# Rejections


def _gang(cpu: int, minimum: int) -> Workload:
    pods = PodSet(name="main", count=4, min_count=minimum, requests={"cpu": cpu})
    return Workload(id="w", sequence=1, pod_sets=(pods,))


def test_a_gang_larger_than_a_maximum_on_the_path_is_rejected(lab: Policy) -> None:
    judge, queue = HierarchyJudge(hierarchy_of(lab)), lab.queues["root.lab.a"]
    assert judge.rejection(_gang(2000, 3), queue) is None
    assert judge.rejection(_gang(2000, 4), queue) is GANG_TOO_LARGE
    # Pods that start one by one wait.
    alone = Workload(
        id="w", sequence=1, pod_sets=(PodSet(name="main", count=4, requests={"cpu": 2000}),)
    )
    assert judge.rejection(alone, queue) is None


# Consequences


def test_usage_above_lowered_amounts_is_a_consequence(lab: Policy) -> None:
    live = Live(running={"root.lab.a": 3}, usage={"root.lab.a": {CPU: 5000}})
    lowered = LAB.replace("max: {vcore: 6}", "max: {vcore: 4}")
    found = list(consequences(lab, compiled(lowered), live))
    assert [consequence_sentence(each) for each in found] == [
        (
            "root.lab.a uses 5 vcore on pool and may use at most 4 vcore: 1 vcore over. A config "
            "change does not stop running workloads; no further workload starts above the limit."
        )
    ]
    assert [each.holders for each in found[0].excesses] == [("root.lab.a",)]
    assert list(consequences(lab, lab, live)) == []


def test_lowered_guarantees_and_maxima_that_stop_pods_have_their_own_words(lab: Policy) -> None:
    live = Live(running={"root.lab.a": 3}, usage={"root.lab.a": {CPU: 5000}})
    guarantee = LAB.replace("guaranteed: {vcore: 8}", "guaranteed: {vcore: 3}")
    stopping = LAB.replace("max: {vcore: 6}", "max: {vcore: 4}").replace(
        "    placementrules:",
        "    preemption: {quotapreemptionenabled: true}\n    placementrules:",
    )
    stopping = stopping.replace(
        "- name: a\n",
        "- name: a\n                properties: {quota.preemption.delay: 5m}\n",
    )
    (first,) = consequences(lab, compiled(guarantee), live)
    (second,) = consequences(lab, compiled(stopping), live)
    assert consequence_sentence(first).endswith(
        "A config change does not stop running workloads; queues below their guarantee may preempt "
        "pods above this one."
    )
    assert consequence_sentence(second).endswith(
        "1 vcore over. No further pod starts above the maximum, and running pods above it stop "
        "after the delay of the queue."
    )


def test_a_leaf_with_workloads_that_becomes_a_parent_is_a_consequence(lab: Policy) -> None:
    live = Live(running={"root.lab.b": 1}, pending={"root.lab.b": 2})
    parent = LAB.replace(
        "- name: b\n                maxapplications: 2",
        "- name: b\n                queues: [{name: c}]",
    )
    (found,) = consequences(lab, compiled(parent), live)
    assert consequence_sentence(found) == (
        "Queue root.lab.b is only for queues below, with 1 running and 2 pending: "
        "running workloads stay until they end, pending workloads are routed again and rejected "
        "where no rule matches."
    )
    assert list(consequences(compiled(parent), compiled(parent), live)) == []
