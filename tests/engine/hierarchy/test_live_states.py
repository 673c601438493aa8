"""Decisions of live states: who starts, grows, waits and stops, with the sentences about it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from console.dialects import dialects
from console.engine.disciplines.hierarchy.live_world import PARTITION_LABEL, world_of
from console.engine.disciplines.hierarchy.spec import (
    Compatibility,
    HierarchySpec,
    Template,
    hierarchy_of,
)
from console.engine.explain import explain
from console.engine.live.pod_changes import PodGroup
from console.engine.model.decision import Decision
from console.engine.model.inventory import Inventory
from console.engine.model.policy import Policy
from console.engine.model.workload import Workload
from console.engine.state import State
from tests.engine.fairshare import live as fairshare
from tests.engine.hierarchy.builders import rule
from tests.engine.hierarchy.live import cores, inventory, limit, policy, workload


def state_of(config: Policy, nodes: Inventory, *workloads: Workload) -> State:
    """Return a settled state with *workloads*, which arrive one after the other."""
    state = State(config)
    state.change_inventory(nodes)
    for each in workloads:
        state.submit(each)
        state.settle()
    return state


def outcomes(decisions: Iterable[Decision]) -> list[tuple[str, str, str]]:
    """Return the workload, outcome and reason of decisions."""
    return [(each.workload, each.outcome.value, str(each.reason)) for each in decisions]


def pods(state: State) -> dict[str, int]:
    """Return how many pods of each workload run, without those that stop."""
    return {
        uid: sum(each.count for each in running.assignment)
        for uid, running in state.running.items()
        if not running.evicting
    }


def headline(state: State, uid: str) -> str:
    """Return why a workload waits."""
    return explain(state.explain(uid)).headline


def stop_pods(state: State) -> None:
    """Report that all pods that have to stop have done so."""
    for uid in sorted(state.evicting):
        state.release(uid)
    for uid, running in list(state.running.items()):
        for assigned in running.assignment:
            for place in assigned.stopping:
                group = PodGroup(
                    pod_set=assigned.name,
                    count=place.count,
                    cluster=place.cluster,
                    node=place.node,
                )
                state.release_pods(uid, group)


def test_a_workload_runs_with_a_part_of_its_pods_and_grows() -> None:
    first = workload("first", 1, "a", count=3)
    state = state_of(policy({"a": {}}), inventory(4), first, workload("second", 2, "a", count=3))
    assert pods(state) == {"first": 3, "second": 1}
    state.finish("first")
    assert outcomes(state.settle()) == [("second", "resized", "hierarchy_grown")]
    assert pods(state) == {"second": 3}


def test_a_rule_creates_queues_with_the_template() -> None:
    template = Template(maximum=cores(2), applications=1)
    by_user = rule("user", creates=True, parent=rule("fixed", "root.users"))
    config = policy({"users": {"is_leaf": False, "template": template}}, rules=[by_user])
    state = state_of(
        config,
        inventory(8),
        workload("ann1", 1, "", user="ann"),
        workload("ann2", 2, "", user="ann"),
        workload("bob1", 3, "", user="bob", count=3),
    )
    assert {uid: each.queue for uid, each in state.running.items()} == {
        "ann1": "root.users.ann",
        "bob1": "root.users.bob",
    }
    assert pods(state) == {"ann1": 1, "bob1": 2}
    assert headline(state, "ann2") == (
        "Waiting in root.users.ann: the maximum of root.users.ann allows 1 application at the same "
        "time, and 1 application runs."
    )


def test_created_queues_may_be_below_others_and_go_when_they_are_empty() -> None:
    template = Template(maximum=cores(1))
    config = policy(
        {"users": {"is_leaf": False, "template": template}},
        rules=[rule("provided", creates=True)],
    )
    state = state_of(config, inventory(8), workload("first", 1, "users.ann", count=2))
    assert pods(state) == {"first": 1}
    # The created leaf becomes a parent, which has no amounts.
    state.submit(workload("below", 2, "users.ann.x", count=2))
    state.settle()
    assert pods(state) == {"first": 2, "below": 1}
    state.finish("below")
    state.submit(workload("second", 3, "users.ann", count=2))
    # The last queue below is gone, and the leaf has the amounts of the template again.
    assert outcomes(state.settle()) == [("second", "pending", "queue_quota")]
    for uid in ("first", "second"):
        state.finish(uid)
    state.settle()
    assert sorted(world_of(state).partitions["default"].tree.queues) == ["root", "root.users"]


def test_room_that_its_claimant_cannot_use_goes_to_others() -> None:
    config = policy(
        {"a": {"guaranteed": 2}, "b": {"guaranteed": 2, "applications": 1}},
    )
    older, younger = (workload(f"a{number}", number, "a", cpu=2) for number in (1, 2))
    state = state_of(config, inventory(4, 1), older, younger)
    state.submit(workload("due", 3, "b", cpu=2))
    state.settle()
    state.advance(30_000)
    assert ("a2", "preempted", "hierarchy_preempted") in outcomes(state.settle())
    state.submit(workload("small", 4, "b"))
    state.settle()
    stop_pods(state)
    state.settle()
    # The number of applications of its queue is reached, so that the preempted one returns.
    assert headline(state, "due") == (
        "Waiting in root.b: the maximum of root.b allows 1 application at the same time, and "
        "1 application runs."
    )
    assert pods(state) == {"a1": 1, "small": 1, "a2": 1}
    state.finish("small")
    assert ("a2", "preempted", "hierarchy_preempted") in outcomes(state.settle())
    stop_pods(state)
    state.settle()
    assert pods(state) == {"a1": 1, "due": 1}


def test_a_cluster_that_shrinks_is_no_lowered_maximum() -> None:
    config = policy(
        {"a": {"properties": {"quota.preemption.delay": "5s"}}},
        preempts=False,
        preempts_over_maximum=True,
    )
    config = with_root(config, properties={"quota.preemption.delay": "5s"})
    state = state_of(config, inventory(2, 2), workload("w", 1, "a", count=4))
    state.change_inventory(inventory(2))
    state.settle()
    state.change_policy(config)
    state.settle()
    assert state.next_wakeup is None


def test_partitions_wait_for_their_own_lowered_maxima() -> None:
    slow = {"maximum": 2, "properties": {"quota.preemption.delay": "5s"}}
    wide = two_partitions(policy({"a": {**slow, "maximum": 4}}, preempts_over_maximum=True))
    nodes = two_partitions_nodes(4, 4)
    here = workload("here", 1, "a", count=4)
    there = replace(here, id="there", sequence=2, labels={"queue": "gpu:root.a"})
    state = state_of(wide, nodes, here, there)
    assert pods(state) == {"here": 4, "there": 4}
    state.change_policy(two_partitions(policy({"a": slow}, preempts_over_maximum=True)))
    state.settle()
    state.advance(5_000)
    state.settle()
    assert pods(state) == {"here": 2, "there": 2}


def test_pods_that_request_nothing_start() -> None:
    empty = workload("empty", 1, "a", cpu=0, count=2)
    state = state_of(policy({"a": {"maximum": 1}}), inventory(1), empty)
    assert pods(state) == {"empty": 2}
    state = state_of(policy({"a": {}}), Inventory(), empty)
    assert headline(state, "empty") == "Waiting in root.a: there are no nodes that accept pods."


def test_no_rule_matches() -> None:
    state = State(policy({"a": {}}))
    state.submit(workload("lost", 1, "", user="ann"))
    assert outcomes(state.settle()) == [("lost", "rejected", "not_placed")]


def test_a_queue_gets_its_guarantee_back_after_the_delay() -> None:
    config = policy({"a": {"guaranteed": 2}, "b": {"guaranteed": 2}})
    state = state_of(config, inventory(4), workload("large", 1, "a", count=4))
    state.submit(workload("due", 2, "b", count=2))
    # The maximum of the root is what the nodes offer.
    assert outcomes(state.settle()) == [("due", "pending", "queue_quota")]
    assert state.next_wakeup == 30_000
    state.advance(29_999)
    assert state.settle() == []
    state.advance(30_000)
    assert outcomes(state.settle()) == [("large", "resized", "hierarchy_preempted")]
    assert headline(state, "due") == (
        "Starting soon in root.b: its capacity is free as soon as pods that have to stop have "
        "stopped."
    )
    stop_pods(state)
    assert ("due", "admitted", "hierarchy_started") in outcomes(state.settle())
    assert pods(state) == {"large": 2, "due": 2}


def test_room_is_kept_for_all_pods_for_which_others_stop() -> None:
    config = policy({"a": {"guaranteed": 2}, "b": {"guaranteed": 2}, "c": {}})
    small = [workload(f"a{number}", number, "a") for number in range(1, 5)]
    state = state_of(config, inventory(4), *small)
    # The share of its queue is the smallest, so that it has the first turn.
    state.submit(workload("late", 5, "c"))
    state.submit(workload("due", 6, "b", count=2))
    state.settle()
    state.advance(30_000)
    assert outcomes(state.settle()) == [
        ("a4", "preempted", "hierarchy_preempted"),
        ("a3", "preempted", "hierarchy_preempted"),
        ("due", "pending", "waiting_for_preempted"),
    ]
    stop_pods(state)
    assert ("due", "admitted", "hierarchy_started") in outcomes(state.settle())
    assert pods(state) == {"a1": 1, "a2": 1, "due": 2}


def test_workloads_that_refuse_preemption_are_the_last_choice() -> None:
    config = policy({"a": {"guaranteed": 1}, "b": {"guaranteed": 1}})
    kept = workload("kept", 2, "a", is_preemptible=False)
    # The younger one would stop otherwise.
    state = state_of(config, inventory(2), workload("other", 1, "a"), kept)
    state.submit(workload("due", 3, "b"))
    state.settle()
    state.advance(30_000)
    assert outcomes(state.settle()) == [
        ("other", "preempted", "hierarchy_preempted"),
        ("due", "pending", "waiting_for_preempted"),
    ]


def test_a_fence_keeps_preemption_inside() -> None:
    fenced = {"properties": {"preemption.policy": "fence"}}
    queues: dict[str, dict[str, Any]] = {"a": {}, "b": fenced, "b.x": {"guaranteed": 2}}
    state = state_of(policy(queues), inventory(2), workload("large", 1, "a", count=2))
    state.submit(workload("due", 2, "b.x"))
    state.settle()
    state.advance(30_000)
    assert outcomes(state.settle()) == []
    assert pods(state) == {"large": 2}


def test_a_pod_that_names_its_node_stops_others_there() -> None:
    config = policy({"a": {"guaranteed": 8}, "b": {}})
    # Neither the guarantee nor the refusal protects them; a higher priority does.
    low = {"other_node": "n1", "is_preemptible": False}
    old, new = (workload(name, number, "a", **low) for number, name in enumerate(("old", "new")))
    high = workload("high", 3, "a", priority=1, other_node="n1")
    state = state_of(config, inventory(3, 8), old, new, high)
    state.submit(workload("agent", 4, "b", node="n0"))
    assert outcomes(state.settle()) == [
        ("new", "preempted", "preempted_on_node"),
        ("agent", "pending", "waiting_for_preempted"),
    ]
    assert headline(state, "new") == (
        "Preempted: agent can only run on its node, and needs the room."
    )
    stop_pods(state)
    assert ("agent", "admitted", "hierarchy_started") in outcomes(state.settle())
    assert pods(state) == {"old": 1, "high": 1, "agent": 1}
    # It is no victim of others that name the node, nor of guarantees.
    state.submit(workload("second", 5, "b", node="n0", cpu=2))
    state.settle()
    assert headline(state, "second") == (
        "Waiting in root.b: no node has room for its pod now: 1 node is excluded by its name, "
        "labels or taints and 1 node lacks vcore."
    )
    assert pods(state) == {"old": 1, "high": 1, "agent": 1}


def test_a_pod_that_names_its_node_waits_for_pods_that_stop_there() -> None:
    config = policy({"a": {}, "b": {}})
    state = state_of(config, inventory(2, 8), workload("old", 1, "a", cpu=2))
    state.submit(workload("first", 2, "b", node="n0", cpu=2))
    state.settle()
    state.submit(workload("second", 3, "b", node="n0"))
    state.settle()
    stop_pods(state)
    state.settle()
    assert pods(state) == {"first": 1, "old": 1}
    assert headline(state, "second") == (
        "Waiting in root.b: no node has room for its pod now: 1 node is excluded by its name, "
        "labels or taints and 1 node lacks vcore."
    )


def test_room_of_a_claim_is_free_when_its_workload_is_withdrawn() -> None:
    config = policy({"a": {}, "b": {}, "c": {}})
    old = workload("old", 1, "a", count=2, other_node="n1")
    state = state_of(config, inventory(3, 8), old, workload("agent", 2, "b", cpu=2, node="n0"))
    state.submit(workload("small", 3, "c", node="n0"))
    state.settle()
    assert pods(state) == {"old": 1}
    state.finish("agent")
    assert outcomes(state.settle()) == [("small", "admitted", "hierarchy_started")]


def test_nothing_starts_beside_a_claim_on_a_node_that_has_become_smaller() -> None:
    config = policy({"a": {}, "b": {}, "c": {}})
    old = workload("old", 1, "a", cpu=2, count=2, other_node="n1")
    state = state_of(config, inventory(4), old)
    state.change_inventory(inventory(3, 8))
    state.submit(workload("agent", 2, "b", node="n0", priority=1))
    state.settle()
    state.submit(workload("small", 3, "c", other_node="n1"))
    state.settle()
    assert pods(state) == {"old": 1}
    assert headline(state, "small") == (
        "Waiting in root.c: no node has room for its pod now: 1 node is excluded by its name, "
        "labels or taints and 1 node lacks vcore."
    )


def test_pods_on_other_nodes_than_the_named_one_stay() -> None:
    config = policy({"a": {}, "b": {}})
    state = state_of(
        config, inventory(1, 1, 8), workload("left", 1, "a"), workload("right", 2, "a")
    )
    state.submit(workload("agent", 3, "b", node="n1"))
    assert outcomes(state.settle())[0] == ("right", "preempted", "preempted_on_node")


def test_a_node_that_does_not_exist_or_accepts_nothing_stops_no_pods() -> None:
    state = state_of(policy({"a": {}, "b": {}}), inventory(1, 8), workload("old", 1, "a"))
    nodes = state.inventory.clusters["c"].nodes
    closed = (replace(nodes[0], is_ready=False), nodes[1])
    state.change_inventory(
        Inventory(clusters={"c": replace(state.inventory.clusters["c"], nodes=closed)})
    )
    state.submit(workload("closed", 2, "b", node="n0"))
    state.submit(workload("gone", 3, "b", node="n9"))
    state.settle()
    assert pods(state) == {"old": 1}


def test_nothing_is_preempted_in_a_partition_without_preemption() -> None:
    config = policy({"a": {}, "b": {"guaranteed": 2}}, preempts=False)
    state = state_of(config, inventory(2), workload("large", 1, "a", count=2))
    state.submit(workload("due", 2, "b"))
    state.settle()
    assert state.next_wakeup is None
    state.advance(60_000)
    assert state.settle() == []


def _gang(style: str) -> Workload:
    gang = {"gang": {"style": style, "timeout": 60}}
    return workload("gang", 2, "a", count=3, min_count=3, placement=gang)


def test_a_hard_gang_is_rejected_after_its_time() -> None:
    config = policy({"a": {}}, preempts=False)
    state = state_of(config, inventory(4), workload("first", 1, "a", count=2))
    state.submit(_gang("Hard"))
    assert outcomes(state.settle()) == [("gang", "pending", "queue_quota")]
    assert state.next_wakeup == 60_000
    state.advance(60_000)
    assert outcomes(state.settle()) == [("gang", "rejected", "gang_timeout")]


def test_the_pods_of_a_soft_gang_start_one_by_one_after_its_time() -> None:
    state = state_of(policy({"a": {}}), inventory(4), workload("first", 1, "a", count=2))
    state.submit(_gang("Soft"))
    state.settle()
    assert pods(state) == {"first": 2}
    state.advance(60_000)
    assert outcomes(state.settle()) == [("gang", "admitted", "hierarchy_started")]
    assert pods(state) == {"first": 2, "gang": 2}


def test_limits_of_users_groups_and_all_others() -> None:
    limits = (
        limit(users=["ann"], maximum=2),
        limit(groups=["ops"], maximum=3),
        limit(users=["*"], maximum=1),
    )
    state = state_of(
        policy({"a": {"limits": limits}}),
        inventory(16),
        workload("ann1", 1, "a", user="ann", count=3),
        workload("ops1", 2, "a", user="cid", groups=("ops",), count=1),
        workload("bob1", 3, "a", user="bob", count=2),
        workload("bob2", 4, "a", user="bob"),
    )
    assert pods(state) == {"ann1": 2, "ops1": 1, "bob1": 1}
    assert headline(state, "bob2") == (
        "Waiting in root.a: the limit of user bob in root.a is 1 vcore, of which 1 is used, and a "
        "pod requests 1."
    )


def test_a_lowered_maximum_stops_pods_after_the_delay() -> None:
    delay = {"properties": {"quota.preemption.delay": "5s"}}
    config = policy({"a": {"maximum": 4, **delay}}, preempts_over_maximum=True)
    state = state_of(config, inventory(8), workload("w", 1, "a", count=4))
    lower = policy({"a": {"maximum": 2, **delay}}, preempts_over_maximum=True)
    state.change_policy(lower)
    assert state.settle() == []
    assert state.next_wakeup == 5_000
    state.advance(5_000)
    assert outcomes(state.settle()) == [("w", "resized", "quota_lowered")]
    assert pods(state) == {"w": 2}
    stop_pods(state)
    assert state.settle() == []


@pytest.mark.parametrize("is_stranded", [False, True])
def test_applications_of_a_leaf_that_becomes_a_parent_get_further_pods(is_stranded: bool) -> None:
    compatibility = Compatibility(stranded_applications=is_stranded)
    growing = workload("growing", 1, "a", count=4)
    state = state_of(policy({"a": {"maximum": 2}}), inventory(8), growing)
    queues: dict[str, dict[str, Any]] = {"a": {"maximum": 4}, "a.x": {}}
    state.change_policy(policy(queues, compatibility=compatibility))
    state.submit(workload("late", 2, "a"))
    decided = [("late", "rejected", "not_placed")]
    if not is_stranded:
        decided.append(("growing", "resized", "hierarchy_grown"))
    assert outcomes(state.settle()) == decided
    assert pods(state) == {"growing": 2 if is_stranded else 4}


def two_partitions(config: Policy) -> Policy:
    """Return a policy with the queues of *config* in the partition ``gpu`` as well."""
    spec = hierarchy_of(config)
    gpu = replace(spec.partitions["default"], name="gpu")
    queues = {
        f"gpu:{name}": replace(
            each,
            name=f"gpu:{name}",
            partition="gpu",
            parent=None if each.parent is None else f"gpu:{each.parent}",
        )
        for name, each in spec.queues.items()
    }
    both = HierarchySpec(
        partitions={**spec.partitions, "gpu": gpu}, queues={**spec.queues, **queues}
    )
    return replace(config, spec=both, routing=type(config.routing)(spec=both))


def two_partitions_nodes(default: int, gpu: int) -> Inventory:
    """Return a node with so many cores for each partition."""
    nodes = inventory(default, gpu)
    first, second = nodes.clusters["c"].nodes
    marked = replace(second, labels={PARTITION_LABEL: "gpu"})
    return Inventory(clusters={"c": replace(nodes.clusters["c"], nodes=(first, marked))})


def with_root(config: Policy, **fields: Any) -> Policy:
    """Return a policy whose root has other *fields*."""
    spec = hierarchy_of(config)
    queues = {**spec.queues, "root": replace(spec.queues["root"], **fields)}
    changed = replace(spec, queues=queues)
    return replace(config, spec=changed, routing=type(config.routing)(spec=changed))


def test_partitions_have_their_own_nodes() -> None:
    config = two_partitions(policy({"a": {}}))
    here = workload("here", 1, "a", count=4)
    there = replace(here, id="there", sequence=2, labels={"queue": "gpu:root.a"})
    state = state_of(config, two_partitions_nodes(2, 3), here, there)
    assert pods(state) == {"here": 2, "there": 3}


def test_higher_priorities_of_a_queue_go_first() -> None:
    state = state_of(policy({"a": {}}), inventory(1), workload("first", 1, "a"))
    state.submit(workload("low", 2, "a", priority=1))
    state.submit(workload("high", 3, "a", priority=2))
    state.settle()
    state.finish("first")
    assert ("high", "admitted", "hierarchy_started") in outcomes(state.settle())
    assert pods(state) == {"high": 1}


def test_workloads_of_another_language_end_without_counting_in_a_partition() -> None:
    text = "resource_queues: [{ name: train }]\nscheduling_rules: [{ resource_queue: train }]\n"
    before = dialects()["native"].read(text, {}).policy
    assert before is not None
    state = State(before)
    state.change_inventory(inventory(4))
    state.submit(workload("old", 1, ""))
    state.settle()
    assert {uid: each.queue for uid, each in state.running.items()} == {"old": "train"}
    state.change_policy(policy({"a": {}}))
    state.submit(workload("new", 2, "a"))
    assert outcomes(state.settle()) == [("new", "admitted", "hierarchy_started")]
    state.finish("old")
    assert state.settle() == []
    assert list(state.running) == ["new"]


def test_workloads_of_another_language_keep_their_room_on_nodes() -> None:
    shares = fairshare.policy([fairshare.queue("team", quota=None)])
    state = state_of(shares, inventory(4), fairshare.workload("old", 1, "team", gpu=0, cpu=3))
    assert pods(state) == {"old": 1}
    state.change_policy(policy({"a": {}}))
    state.submit(workload("new", 2, "a", count=2))
    assert outcomes(state.settle()) == [("new", "admitted", "hierarchy_started")]
    assert pods(state) == {"old": 1, "new": 1}
    state.finish("old")
    assert outcomes(state.settle()) == [("new", "resized", "hierarchy_grown")]
    assert pods(state) == {"new": 2}
