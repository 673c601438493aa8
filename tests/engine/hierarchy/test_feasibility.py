"""Workloads that can never start: which bounds they exceed, and when they can again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from console.engine.explain import explain
from console.engine.model.inventory import Inventory
from console.engine.model.policy import Policy
from console.engine.model.workload import Workload
from console.engine.state import State
from tests.engine.hierarchy.live import inventory, limit, policy, workload

HARD = {"gang": {"style": "Hard"}}
USER = (limit(users=("ann",), maximum=3),)
GROUP = (limit(groups=("dev",), maximum=3),)


def state_of(config: Policy, nodes: Inventory, *workloads: Workload) -> State:
    """Return a settled state."""
    state = State(config)
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
    assert explain(state.explain(uid)).reason is cls.verdict.reason
    return str(cls.verdict.reason)


QUEUES: dict[str, dict[str, Any]] = {
    "lab": {"is_leaf": False, "maximum": 6},
    "lab.a": {"maximum": 4},
    "lab.b": {},
    "users": {"limits": USER},
    "groups": {"limits": GROUP},
    "counted": {"limits": (limit(users=("ann",), applications=1),)},
}


@pytest.mark.parametrize(
    ("asked", "cores", "expected"),
    [
        pytest.param(workload("w", 1, "lab.a", cpu=5), (8,), "exceeds_maximum", id="its maximum"),
        pytest.param(workload("w", 1, "lab.b", cpu=7), (8,), "exceeds_maximum", id="one above"),
        pytest.param(workload("w", 1, "lab.a", cpu=4), (8,), None, id="all of its maximum"),
        pytest.param(
            workload("w", 1, "lab.a", cpu=3, count=3), (8,), None, id="it starts with one pod"
        ),
        pytest.param(
            workload("w", 1, "users", cpu=4), (8,), "exceeds_user_limit", id="the limit of a user"
        ),
        pytest.param(workload("w", 1, "users", cpu=4, user="bob"), (8,), None, id="another user"),
        pytest.param(
            workload("w", 1, "groups", cpu=4, groups=("dev",)),
            (8,),
            "exceeds_group_limit",
            id="the limit of a group",
        ),
        pytest.param(
            workload("w", 1, "counted", cpu=8), (8,), None, id="a limit of applications alone"
        ),
        pytest.param(
            workload("w", 1, "users.none", cpu=1), (8,), "rejected", id="a queue that is missing"
        ),
        pytest.param(
            workload("w", 1, "counted", cpu=6), (4, 5), "hierarchy_exceeds_nodes", id="every node"
        ),
        pytest.param(
            workload("w", 1, "counted", cpu=1, node="gone"),
            (4,),
            "hierarchy_no_node_matches",
            id="a node that does not exist",
        ),
        pytest.param(
            workload("w", 1, "counted", cpu=5, node="n0"),
            (4, 8),
            "hierarchy_exceeds_nodes",
            id="the only node that it may use",
        ),
        pytest.param(
            workload("w", 1, "counted", cpu=3, count=3, min_count=3, placement=HARD),
            (4, 4),
            "hierarchy_exceeds_nodes",
            id="a hard gang",
        ),
        pytest.param(
            workload("w", 1, "counted", cpu=3, count=3, min_count=3),
            (4, 4),
            "queue_quota",
            id="a soft gang, whose pods start one by one after its timeout",
        ),
    ],
)
def test_what_a_workload_exceeds(
    asked: Workload, cores: tuple[int, ...], expected: str | None
) -> None:
    state = state_of(policy(QUEUES), inventory(*cores), asked)
    if expected == "rejected":
        assert not state.has_workload("w")
    elif expected is None:
        assert "w" in state.running
    else:
        assert reason(state, "w") == expected


def test_the_headline_has_all_bounds() -> None:
    state = state_of(
        policy({"a": {"maximum": 8, "limits": USER}}),
        inventory(4),
        workload("w", 1, "a", cpu=9),
    )
    assert explain(state.explain("w")).headline == (
        "Can never run under this config: a pod requests 9 vcore, but the maximum of root.a is 8 "
        "and the limit of user ann in root.a is 3. Also, no node could hold a pod, even if nothing "
        "else ran there: n0 of c comes closest and offers 4 of the 9 vcore. Request at most 3 "
        "vcore, or have the maximum of root.a raised to 9 vcore, the limit of user ann in root.a "
        "raised to 9 vcore and a larger node added."
    )


def test_a_workload_that_only_waits_keeps_its_reason_and_position() -> None:
    state = state_of(
        policy({"a": {"maximum": 4}}),
        inventory(8),
        workload("runs", 1, "a", cpu=4),
        workload("never", 2, "a", cpu=5),
        workload("waits", 3, "a", cpu=2),
    )
    assert (reason(state, "never"), reason(state, "waits")) == ("exceeds_maximum", "queue_quota")
    pending = state.queues["root.a"].pending
    assert [pending.position(state.pending[uid]) for uid in ("never", "waits")] == [None, 1]


def test_other_nodes_and_another_config_change_the_verdict() -> None:
    state = state_of(
        policy({"a": {}}), inventory(4), workload("w", 1, "a", cpu=6), workload("v", 2, "a", cpu=4)
    )
    assert reason(state, "w") == "hierarchy_exceeds_nodes"
    state.change_policy(policy({"a": {"maximum": 5}}))
    state.settle()
    assert reason(state, "w") == "exceeds_maximum"
    state.change_policy(policy({"a": {}}))
    state.change_inventory(inventory(4, 6))
    state.settle()
    assert state.running.keys() == {"v", "w"}


@pytest.mark.parametrize("is_lost", [False, True])
def test_nodes_that_do_not_accept_pods_now_may_return(is_lost: bool) -> None:
    cluster = replace(inventory(8).clusters["c"], is_ready=False, has_failed=is_lost)
    state = state_of(
        policy({"a": {}}),
        Inventory(clusters={"c": cluster}),
        workload("waits", 1, "a", cpu=8),
        workload("never", 2, "a", cpu=9),
    )
    assert reason(state, "waits") == "hierarchy_no_nodes"
    assert reason(state, "never") == "hierarchy_exceeds_nodes"
