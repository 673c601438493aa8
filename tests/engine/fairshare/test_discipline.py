"""The discipline apart from its decisions: accounts, capacity, explanations, consequences."""

from __future__ import annotations

import pytest

from console.engine.disciplines.fairshare.discipline import DISCIPLINE
from console.engine.disciplines.fairshare.eligibility import problem_of
from console.engine.disciplines.fairshare.ledger import KEYS, FairshareLedger
from console.engine.disciplines.fairshare.live_world import world_of
from console.engine.disciplines.fairshare.resources import PerResource
from console.engine.disciplines.fairshare.spec import FairQueue, fairshare_of
from console.engine.disciplines.share_report import (
    NumberChange,
    QueueShares,
    RunningKind,
    ShareFacts,
    ShareNumber,
)
from console.engine.explain import explain
from console.engine.explain.consequences import consequence_sentence
from console.engine.model.amounts import UNLIMITED
from console.engine.model.capacity_node import CapacityNode
from console.engine.model.history import Live
from console.engine.model.inventory import Inventory
from console.engine.model.policy import Policy
from console.engine.model.workload import PodSet, Workload
from console.engine.pending.unrestored import UnrestoredClass
from console.engine.simulation.consequences import simulate_consequences
from console.engine.state import State
from tests.engine.fairshare.live import inventory, policy, queue, workload

GPU = ("pool", "gpu")


def _lab(**a: float) -> Policy:
    return policy(
        [
            queue("lab", quota=8, limit=6),
            queue("a", "lab", **{"quota": 2, "limit": 4, **a}),
            queue("b", "lab", quota=2),
            queue("other", quota=1),
        ]
    )


# Accounts


def test_accounts_accumulate_usage_upwards_and_share_one_root() -> None:
    ledger = FairshareLedger(fairshare_of(_lab()))
    ledger.add("a", {GPU: 3000, ("pool", "nvidia.com/gpu"): 1000})
    ledger.add("b", {GPU: 1000})
    ledger.add("gone", {GPU: 1000})
    a, b, lab, gone = map(ledger.queue, ("a", "b", "lab", "gone"))
    assert (a.usage, lab.usage) == ({GPU: 4000}, {})
    assert (a.used(GPU), lab.used(GPU), gone.used(GPU)) == (4000, 5000, 1000)
    assert (a.over(GPU), b.over(GPU), lab.over(GPU)) == (2000, 0, 0)
    # What the limit of lab leaves; a itself is at its own limit.
    assert (a.available(GPU), b.available(GPU), lab.available(GPU)) == (0, 1000, 1000)
    assert (a.limit(GPU), b.limit(GPU)) == (4000, 6000)
    assert a.root is b.root is lab.root is ledger.queue("other").root
    assert gone.root is gone
    assert ledger.queues_around("a") == ["lab", "a", "b", "other"]
    assert ledger.queues_around("gone") == ["gone"]
    copy = ledger.copy(a.root)
    ledger.remove("a", {GPU: 4000})
    assert (copy.queue("lab").used(GPU), copy.queue("gone").used(GPU)) == (5000, 0)
    assert (a.usage, ledger.queue("lab").below) == ({}, {GPU: 1000})


def test_accounts_follow_a_queue_to_another_parent() -> None:
    before = _lab()
    after = policy([queue("lab"), queue("a", "other"), queue("b", "lab"), queue("other", quota=1)])
    ledger = FairshareLedger(fairshare_of(before))
    ledger.add("a", {GPU: 3000})
    ledger.adapt(before, after, ["lab", "a", "b", "other"])
    assert [ledger.queue(each).used(GPU) for each in ("lab", "a", "other")] == [0, 3000, 3000]


# Capacity nodes


def _figures(node: CapacityNode) -> tuple[object, ...]:
    return (node.guaranteed, node.limit, node.used, node.own, node.borrowed, node.over, node.demand)


def test_nodes_of_queues_their_parents_and_the_organization() -> None:
    found = _lab()
    used = {"a": {GPU: 3000}, "b": {GPU: 1000, ("pool", "disk"): 5}, "gone": {GPU: 1000}}
    capacity = DISCIPLINE.capacity(found, used)
    asked = {"a": {"nvidia.com/gpu": 2000}, "gone": {"gpu": 1}}
    names = [*found.queues, "gone"]
    nodes = {name: capacity.queue_nodes(name, asked.get(name, {})) for name in names}
    by_gpu = {name: {node.key: node for node in some}[GPU] for name, some in nodes.items()}
    assert {name: _figures(node) for name, node in by_gpu.items()} == {
        "lab": (8000, 6000, 4000, 4000, 0, 0, 0),
        "a": (2000, 4000, 3000, 2000, 1000, 0, 2000),
        "b": (2000, 6000, 1000, 1000, 0, 0, 0),
        "other": (1000, UNLIMITED, 0, 0, 0, 0, 0),
        "gone": (0, 0, 1000, 0, 0, 1000, 0),
    }
    assert by_gpu["a"].path == ("lab", "a")
    assert (by_gpu["a"].entitled, by_gpu["b"].entitled) == (4000, 3000)
    assert [node.key for node in nodes["b"]] == [*KEYS, ("pool", "disk")]
    assert all(node.is_consistent for some in nodes.values() for node in some)
    (pool,) = [node for node in capacity.cohort_nodes("lab", nodes) if node.key == GPU]
    assert _figures(pool) == (8000, 6000, 4000, 4000, 0, 0, 2000)
    everything = DISCIPLINE.organization_nodes(found, [n for some in nodes.values() for n in some])
    (whole,) = [node for node in everything if node.key == GPU]
    assert (whole.guaranteed, whole.limit, whole.used, whole.demand) == (
        9000,
        UNLIMITED,
        5000,
        2000,
    )


def test_the_tree_has_queues_with_children_as_cohorts() -> None:
    found = policy([queue("lab"), queue("x", "lab"), queue("y", "x"), queue("z", "lab")])
    tree = DISCIPLINE.tree(found)
    assert (tree.names, tree.roots) == (("lab", "x"), ("lab",))
    assert (tree.queues("lab"), tree.cohorts("lab")) == (("z",), ("x",))
    assert (tree.path("x"), tree.queues_below("lab")) == (("lab",), ("z", "y"))
    assert tree.around("z") == ("lab", "x", "y", "z")
    with pytest.raises(KeyError):
        tree.around("gone")


# Eligibility


@pytest.mark.parametrize(
    ("requests", "problem"),
    [
        ({"gpu": 2000}, ""),
        ({"gpu": 500}, ""),
        ({"gpu-memory": 10**12, "gpu-devices": 2000}, ""),
        ({"gpu": 1000, "gpu-devices": 2000}, ""),
        ({"nvidia.com/mig-1g.5gb": 1000}, "nvidia.com/mig-1g.5gb: slices of devices (MIG)"),
        ({"gpu": 1500}, "1.5 GPUs: from 1 on, the number has to be whole."),
        ({"gpu": 1000, "nvidia.com/gpu": 1000}, "GPUs under two names, gpu and nvidia.com/gpu"),
        ({"gpu": 1000, "gpu-memory": 1000}, "both GPUs and gpu-memory: state one of them."),
        ({"gpu-devices": 1000}, "gpu-devices without GPUs or gpu-memory"),
        ({"gpu": 500, "gpu-devices": 1500}, "1.5 gpu-devices: the number has to be whole."),
        ({"gpu": 3000, "gpu-devices": 2000}, "3 GPUs as parts of 2 devices"),
        ({"gpu": 500, "gpu-devices": 3000}, "0.5 GPUs as parts of 3 devices"),
    ],
)
def test_requests_that_are_not_supported_have_a_sentence(
    requests: dict[str, int], problem: str
) -> None:
    found = problem_of(Workload(id="w", sequence=1, pod_sets=(PodSet(requests=requests),)))
    start = f"A pod requests {problem}" if problem else ""
    assert found[: len(start)] == start
    assert bool(found) == bool(problem)


def test_a_placement_on_clusters_is_not_supported() -> None:
    placed = Workload(id="w", sequence=1, pod_sets=(PodSet(),), placement={"filters": []})
    assert problem_of(placed) == (
        "It states a placement, which has no meaning here: remove it, or use node selectors of its "
        "pods."
    )


# Explanations


def _sentences(state: State, name: str, *stages: str) -> list[str]:
    found = explain(state.explain(name))
    return [
        sentence.text
        for stage in found.stages
        if stage.stage in stages
        for sentence in stage.sentences
    ]


def _state(found: Policy, *workloads: Workload, gpus: tuple[int, ...] = (2, 2)) -> State:
    state = State(found, now=1)
    state.change_inventory(inventory(*gpus))
    for each in workloads:
        state.submit(each)
    return state


def test_a_limit_on_the_path_is_explained_with_its_numbers_and_the_original_message() -> None:
    found = policy([queue("lab", limit=1), queue("a", "lab")])
    state = _state(found, workload("w1", 1, "a"), workload("w2", 2, "a"))
    state.settle()
    assert explain(state.explain("w2")).headline == (
        "Waiting in a: the limit of lab is 1 GPU, of which 1 GPU are used, and it requests 1 GPU."
    )
    assert _sentences(state, "w2", "limits", "original_message") == [
        "Limit of a: unlimited GPUs, 1 GPU used, 1 GPU requested.",
        "Limit of lab: 1 GPU, 1 GPU used, 1 GPU requested.",
        (
            "KAI reports: OverLimit: lab quota has reached the allowable limit of GPUs. Limit is 1 "
            "GPUs, currently 1 GPUs allocated and workload requested 1 GPUs."
        ),
    ]


def test_a_workload_that_cannot_be_preempted_has_to_fit_within_quota() -> None:
    named = FairQueue(
        name="a",
        quota=PerResource(UNLIMITED, UNLIMITED, 1000),
        limit=PerResource(UNLIMITED, UNLIMITED, UNLIMITED),
        display_name="Team A",
    )
    state = _state(policy([named]), workload("w1", 1, "a", gpu=2, priority=100))
    state.settle()
    assert _sentences(state, "w1", "limits", "original_message") == [
        "Limit of a: unlimited GPUs, 0 GPUs used, 2 GPUs requested.",
        "Quota of a: 1 GPU, 0 GPUs used by workloads that cannot be preempted, 2 GPUs requested.",
        (
            "KAI reports: NonPreemptibleOverQuota: Non-preemptible workload is over quota. "
            "Workload requested 2 GPUs, but Team A quota is 1 GPUs, while 0 GPUs are already "
            "allocated for non-preemptible pods. Use a preemptible workload to go over quota.."
        ),
    ]


def test_nodes_order_and_searches_are_explained() -> None:
    found = policy([queue("a", quota=2), queue("b", quota=2)])
    running = [workload(f"b{number}", number, "b") for number in range(1, 5)]
    state = _state(found, *running)
    state.settle()
    state.submit(workload("b5", 5, "b"))
    state.submit(workload("a1", 6, "a", gpu=3))
    state.settle()
    assert _sentences(state, "b5", "nodes", "queue_order") == [
        "2 nodes lack GPUs.",
        "a before b: with its next workload it has the smaller dominant share (rule 5 of 8).",
    ]
    assert _sentences(state, "b5", "search_for_room")[-2:] == [
        (
            "Reclaiming from other queues was not tried: b uses 4 GPUs, its fair share is 2, and "
            "it requests 1 more."
        ),
        (
            "Preempting workloads of its queue with a lower priority found nothing: no workload of "
            "its queue with a lower priority may be preempted."
        ),
    ]


def test_a_request_beyond_a_limit_is_told_what_would_be_possible() -> None:
    found = policy([queue("lab", limit=3), queue("a", "lab")])
    state = _state(found, workload("w1", 1, "a", gpu=4), gpus=(8,))
    state.settle()
    assert explain(state.explain("w1")).headline == (
        "Can never run under this config: a pod requests 4 GPUs, but the limit of lab is 3. "
        "Request at most 3 GPUs, or have the limit of lab raised to 4 GPUs."
    )


def test_an_eviction_is_explained_with_the_numbers_of_both_queues() -> None:
    found = policy([queue("a", quota=2), queue("b", quota=2)])
    state = _state(found, *(workload(f"b{number}", number, "b") for number in range(1, 5)))
    state.settle()
    state.submit(workload("a1", 6, "a"))
    (evicted,) = [each for each in state.settle() if each.outcome == "preempted"]
    assert explain(evicted.trace).headline == (
        "Preempted: a reclaims capacity for a1. a used 0 GPUs with a quota of 2 and a fair share "
        "of 1. b used 4 GPUs with a quota of 2 and a fair share of 3."
    )
    assert explain(evicted.trace).stages[-2].sentences[0].text == (
        "KAI reports: Pod b4 was preempted by workload a1. b uses <GPU: 4, CPU: 0 (cores), memory: "
        "0 (GB)> with a quota of <GPU: 2, CPU: 0 (cores), memory: 0 (GB)>, fair-share of <GPU: 3, "
        "CPU: 0 (cores), memory: 0 (GB)> and queue priority of <100>. a uses <GPU: 0, CPU: 0 "
        "(cores), memory: 0 (GB)> with a quota of <GPU: 2, CPU: 0 (cores), memory: 0 (GB)>, "
        "fair-share of <GPU: 1, CPU: 0 (cores), memory: 0 (GB)> and queue priority of <100>."
    )


def test_a_queue_below_a_missing_one_admits_nothing() -> None:
    state = _state(policy([queue("a", "gone")]), workload("w1", 1, "a"))
    state.settle()
    assert explain(state.explain("w1")).headline == (
        "Waiting: a admits nothing, because the config does not define the queue gone above it."
    )


def test_nodes_given_back_by_a_removed_queue_are_used() -> None:
    state = _state(policy([queue("a"), queue("old")]), workload("w1", 1, "old", gpu=2), gpus=(2,))
    state.settle()
    state.change_policy(policy([queue("a")]))
    state.submit(workload("w2", 2, "a", gpu=2))
    state.settle()
    assert set(state.pending) == {"w2"}
    state.finish("w1")
    assert [(each.workload, each.outcome) for each in state.settle()] == [("w2", "admitted")]


# Consequences


def test_usage_above_a_lowered_limit_or_quota_is_a_consequence() -> None:
    live = Live(running={"a": 3, "b": 1}, usage={"a": {GPU: 3000}, "b": {GPU: 1000}})
    lowered = policy(
        [
            queue("lab", quota=3, limit=3),
            queue("a", "lab", quota=1, limit=4),
            queue("b", "lab", quota=2),
            queue("other", quota=1),
        ]
    )
    found = simulate_consequences(_lab(), lowered, live)
    assert [consequence_sentence(each) for each in found] == [
        (
            "lab uses 4 GPUs on pool and may use at most 3 GPUs: 1 GPU over. A config change does "
            "not stop running workloads; no further workload starts above the limit."
        ),
        (
            "a uses 3 GPUs on pool and will have a quota of 1 GPU: 2 GPUs over. A config change "
            "does not stop running workloads; other queues may reclaim usage above the quota, and "
            "no further workload that cannot be preempted starts above it."
        ),
    ]
    assert [each.excesses[0].holders for each in found] == [("a", "b"), ("a",)]
    assert simulate_consequences(_lab(), _lab(), live) == ()


# Share reports


def _facts(**changes: object) -> ShareFacts:
    found = {
        "inventory": inventory(4, 4),
        "used": {"a": {GPU: 3000}, "b": {GPU: 4000}},
        "requested": {"a": {"gpu": 2000}, "other": {"nvidia.com/gpu": 2000}},
        "first": {"a": {"gpu": 2000}, "other": {"nvidia.com/gpu": 1000}},
        "running": (
            RunningKind(queue="b", priority=100, is_preemptible=None, usage={GPU: 1000}, count=1),
            RunningKind(queue="b", priority=50, is_preemptible=None, usage={GPU: 1000}, count=3),
        ),
        **changes,
    }
    return ShareFacts(**found)


def _report(change: NumberChange | None = None, **facts: object) -> dict[str, QueueShares]:
    found = policy(
        [
            queue("lab", quota=4),
            queue("a", "lab", quota=3),
            queue("b", "lab"),
            queue("other", quota=2, weight=2, priority=200),
        ]
    )
    report = DISCIPLINE.share_report(found, _facts(**facts), change, reclaiming="other")
    return {each.name: each for each in report.queues}


def test_a_report_has_every_fair_share_and_its_parts() -> None:
    report = _report()
    gpu = {name: each.by_resource["gpu"] for name, each in report.items()}
    assert {
        name: (line.requested, line.used, line.non_preemptible, line.fair_share)
        for name, line in gpu.items()
    } == {
        "lab": (9000, 7000, 1000, 6000),
        "a": (5000, 3000, 0, 5000),
        "b": (4000, 4000, 1000, 1000),
        "other": (2000, 0, 0, 2000),
    }
    assert {name: (line.guaranteed, line.surplus, line.rounding) for name, line in gpu.items()} == {
        "lab": (4000, 2000, 0),
        "a": (3000, 1000, 1000),
        "b": (0, 1000, 0),
        "other": (2000, 0, 0),
    }


def test_a_report_has_the_order_of_siblings_and_what_may_be_reclaimed() -> None:
    report = _report()
    assert {
        name: (each.depth, each.place, each.siblings, each.behind_queue, each.behind)
        for name, each in report.items()
    } == {
        "lab": (0, 2, 2, "other", "with its next workload it stays within its quota"),
        "a": (1, 1, 2, "", ""),
        "b": (1, 2, 2, "a", "with its next workload it has the smaller dominant share"),
        "other": (0, 1, 2, "", ""),
    }
    assert report["b"].dominant_share == 4000
    assert report["a"].reclaimable == ()
    assert [(each.queue, each.amount) for each in report["other"].reclaimable] == [
        ("a", 2000),
        ("b", 2000),
    ]


def test_a_report_with_another_number_changes_nothing_else() -> None:
    change = NumberChange(queue="b", number=ShareNumber.QUOTA, resource="gpu", value=4000)
    gpu = {name: each.by_resource["gpu"] for name, each in _report(change).items()}
    assert {name: (line.quota, line.fair_share) for name, line in gpu.items()} == {
        "lab": (4000, 6000),
        "a": (3000, 3000),
        "b": (4000, 4000),
        "other": (2000, 2000),
    }
    first = NumberChange(queue="lab", number=ShareNumber.PRIORITY, value=300_000)
    assert _report(first)["lab"].priority == 300
    free = NumberChange(queue="a", number=ShareNumber.WEIGHT, resource="gpu", value=2500)
    assert _report(free)["a"].by_resource["gpu"].weight == 2500
    with pytest.raises(KeyError):
        _report(NumberChange(queue="gone", number=ShareNumber.PRIORITY, value=0))
    with pytest.raises(KeyError):
        _report(NumberChange(queue="a", number=ShareNumber.LIMIT, resource="disk", value=0))


def test_a_report_without_clusters_divides_the_nodes_of_the_config() -> None:
    assert DISCIPLINE.share_report(_lab(), _facts(inventory=Inventory())).total == {
        "cpu": 0,
        "memory": 0,
        "gpu": 0,
    }


def test_pending_workloads_that_are_not_restored_count_for_shares_and_order() -> None:
    found = policy([queue("a", quota=1), queue("b", quota=1, priority=200)])
    state = _state(found, workload("a1", 1, "a", gpu=2), gpus=(1,))
    state.settle()
    alone = world_of(state).open(state).shares.shares["a"].gpu
    state.queue("b").unrestored = (
        UnrestoredClass(priority=50, requests={"gpu": 1000}, count=3),
        UnrestoredClass(priority=60, requests={"gpu": 2000}, count=1),
    )
    shares = world_of(state).open(state).shares.shares
    assert (alone, shares["a"].gpu, shares["b"].gpu) == (1000, 1000, 1000)
    assert _sentences(state, "a1", "queue_order") == [
        "b before a: it has the higher priority (rule 3 of 8)."
    ]


def test_pods_that_others_take_are_explained_with_the_numbers_of_both_queues() -> None:
    found = policy([queue("a", quota=2), queue("b", quota=2)])
    state = _state(found, workload("b1", 1, "b", count=4, min_count=2))
    state.settle()
    state.submit(workload("a1", 2, "a"))
    (taken,) = [each for each in state.settle() if each.outcome == "resized"]
    told = explain(taken.trace)
    assert told.headline == (
        "Running without 1 of its pods: a reclaims capacity for a1. a used 0 GPUs with a quota of "
        "2 and a fair share of 1. b used 4 GPUs with a quota of 2 and a fair share of 3."
    )
    (preemption,) = [each for each in told.stages if each.stage == "preemption"]
    assert preemption.sentences[0].text == "a1 requests 1 GPU in a with priority 50."
