"""Workloads that can never start: which bounds they exceed, and when they can again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from console.engine.disciplines.fairshare import feasibility
from console.engine.disciplines.fairshare.spec import FairQueue, NodePool
from console.engine.explain import explain
from console.engine.model.amounts import SCALE
from console.engine.model.inventory import Inventory
from console.engine.model.workload import PodSet, Workload
from console.engine.state import State
from tests.engine.fairshare.live import inventory, policy, queue, workload

TREE = (queue("lab", limit=6), queue("a", "lab", limit=4, quota=2), queue("b", "lab"))


def state_of(
    queues: Iterable[FairQueue], nodes: Inventory, *workloads: Workload, **settings: object
) -> State:
    """Return a settled state."""
    state = State(policy(queues, **settings))
    state.change_inventory(nodes)
    for each in workloads:
        state.submit(each)
    state.settle()
    return state


def reason(state: State, uid: str) -> str:
    """Return the stored reason of a pending workload, which the explanation has too."""
    pending = state.pending[uid]
    cls = state.queues[pending.route.queue or ""].pending.classes[pending.class_key]
    assert cls.verdict is not None
    told = explain(state.explain(uid))
    assert told.reason is cls.verdict.reason
    assert cls.cannot_run is cls.verdict.reason.cannot_run
    return str(cls.verdict.reason)


@pytest.mark.parametrize(
    ("asked", "gpus", "expected"),
    [
        pytest.param(workload("w", 1, "a", gpu=5), (8,), "exceeds_queue_limit", id="its limit"),
        pytest.param(workload("w", 1, "b", gpu=7), (8,), "exceeds_queue_limit", id="a limit above"),
        pytest.param(workload("w", 1, "b", gpu=6), (4, 4), "exceeds_nodes", id="every node"),
        pytest.param(workload("w", 1, "a", gpu=4), (4,), None, id="all of its limit"),
        pytest.param(
            workload("w", 1, "a", gpu=3, is_preemptible=False),
            (8,),
            "exceeds_quota",
            id="the quota of a workload that cannot be preempted",
        ),
        pytest.param(
            workload("w", 1, "b", gpu=3, count=2, min_count=2),
            (4, 2),
            "exceeds_nodes",
            id="a gang of which each pod fits",
        ),
        pytest.param(
            workload("w", 1, "b", gpu=3, count=2, min_count=1),
            (4, 2),
            None,
            id="a gang that starts with one pod",
        ),
        pytest.param(
            workload("w", 1, "b", gpu=0.3, count=4), (1,), "exceeds_nodes", id="shares of a device"
        ),
        pytest.param(workload("w", 1, "b", gpu=0.3, count=3), (1,), None, id="shares that fit"),
        pytest.param(
            workload("w", 1, "b", gpu=0, cpu=65), (1,), "exceeds_nodes", id="another resource"
        ),
        pytest.param(
            replace(
                workload("w", 1, "b"),
                pod_sets=(PodSet(requests={"gpu": SCALE}, node_selector={"zone": "x"}),),
            ),
            (1,),
            "no_node_matches",
            id="labels that no node has",
        ),
        pytest.param(
            replace(
                workload("w", 1, "b"),
                pod_sets=(
                    PodSet(name="leader", requests={"cpu": 40 * SCALE}),
                    PodSet(name="worker", count=2, requests={"cpu": 30 * SCALE}),
                ),
            ),
            (1,),
            "exceeds_nodes",
            id="different pods that together request more than all nodes offer",
        ),
    ],
)
def test_what_a_workload_exceeds(
    asked: Workload, gpus: tuple[int, ...], expected: str | None
) -> None:
    state = state_of(TREE, inventory(*gpus), asked)
    if expected is None:
        assert "w" in state.running
    else:
        assert reason(state, "w") == expected


def test_a_workload_that_only_waits_keeps_its_reason_and_position() -> None:
    running, never, waits = (
        workload("runs", 1, "a", gpu=4),
        workload("never", 2, "a", gpu=5),
        workload("waits", 3, "a", gpu=2),
    )
    state = state_of(TREE, inventory(8), running, never, waits)
    assert (reason(state, "never"), reason(state, "waits")) == ("exceeds_queue_limit", "over_limit")
    pending = state.queues["a"].pending
    assert [pending.position(state.pending[uid]) for uid in ("never", "waits")] == [None, 1]
    assert pending.cannot_run() == 1
    assert explain(state.explain("never")).headline == (
        "Can never run under this config: a pod requests 5 GPUs, but the limit of a is 4. Request "
        "at most 4 GPUs, or have the limit of a raised to 5 GPUs."
    )


def test_other_nodes_change_the_verdict() -> None:
    state = state_of(
        TREE, inventory(4), workload("runs", 1, "b", gpu=4), workload("w", 2, "b", gpu=5)
    )
    assert reason(state, "w") == "exceeds_nodes"
    # It has no room now, but will have some time.
    state.change_inventory(inventory(4, 5))
    state.settle()
    assert reason(state, "w") == "over_limit"
    state.change_inventory(inventory(4, 3))
    state.settle()
    assert reason(state, "w") == "exceeds_nodes"


def test_another_config_changes_the_verdict() -> None:
    state = state_of(TREE, inventory(8), workload("w", 1, "a", gpu=5))
    assert reason(state, "w") == "exceeds_queue_limit"
    state.change_policy(policy((queue("lab", limit=6), queue("a", "lab"), queue("b", "lab"))))
    state.settle()
    assert "w" in state.running


@pytest.mark.parametrize("is_lost", [False, True])
def test_nodes_that_do_not_accept_pods_now_may_return(is_lost: bool) -> None:
    nodes = inventory(8)
    cluster = replace(nodes.clusters["c"], is_ready=False, has_failed=is_lost)
    state = state_of(
        TREE,
        Inventory(clusters={"c": cluster}),
        workload("waits", 1, "b", gpu=4),
        workload("never", 2, "b", gpu=1, cpu=65),
    )
    assert (reason(state, "waits"), reason(state, "never")) == ("no_nodes", "exceeds_nodes")


def test_nodes_of_another_pool_do_not_count() -> None:
    nodes = inventory(8, 2)
    large, small = nodes.clusters["c"].nodes
    cluster = replace(nodes.clusters["c"], nodes=(large, replace(small, labels={"pool": "train"})))
    state = state_of(
        TREE,
        Inventory(clusters={"c": cluster}),
        workload("w", 1, "b", gpu=3),
        node_pool=NodePool(key="pool", value="train"),
    )
    assert reason(state, "w") == "exceeds_nodes"


def test_without_nodes_only_the_config_counts() -> None:
    state = State(policy(TREE))
    for each in (workload("waits", 1, "b", gpu=4), workload("never", 2, "a", gpu=5)):
        state.submit(each)
    state.settle()
    assert (reason(state, "waits"), reason(state, "never")) == ("no_nodes", "exceeds_queue_limit")


def test_a_class_is_judged_once_for_a_config_and_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    judged: list[str] = []
    original = feasibility.Feasibility.exceeded

    def counted(self: feasibility.Feasibility, asked: Workload, job: object) -> object:
        judged.append(asked.id)
        return original(self, asked, job)  # type: ignore[arg-type]

    monkeypatch.setattr(feasibility.Feasibility, "exceeded", counted)
    never = [workload(f"never{n}", n, "a", gpu=5) for n in range(1, 20)]
    state = state_of(TREE, inventory(4), *never, workload("w20", 20, "b", gpu=4))
    for number in range(21, 30):
        state.finish(f"w{number - 1}")
        state.submit(workload(f"w{number}", number, "b", gpu=4))
        state.settle()
    assert judged.count("never1") == 1
    assert set(judged) == {"never1"}
    state.change_inventory(inventory(4, 4))
    state.settle()
    assert judged == ["never1", "never1"]


def test_a_hold_keeps_that_a_workload_exceeds_the_nodes_until_there_are_others() -> None:
    state = State(policy([queue("a")]))
    state.change_inventory(inventory(4))
    state.submit(workload("large", 1, "a", gpu=6))
    state.submit(workload("small", 2, "a", gpu=1))
    state.hold("a")
    state.settle()
    for nodes, of_large in ((4, "exceeds_nodes"), (8, "queue_held"), (5, "exceeds_nodes")):
        state.change_inventory(inventory(nodes))
        state.settle()
        assert reason(state, "large") == of_large
        assert reason(state, "small") == "queue_held"
