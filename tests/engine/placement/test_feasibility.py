"""Jobs that can never be placed: what empty clusters could hold, and which filters exclude them."""

from __future__ import annotations

import pytest

from console.engine.disciplines.placement.spec import (
    FilterPolicy,
    GpuRule,
    OnUnplaceable,
    PluginUse,
)
from console.engine.explain import explain
from console.engine.model.policy import Policy
from console.engine.model.workload import Workload
from console.engine.state import State
from tests.engine.placement.worlds import cluster, inventory, job, policy


def only(**labels: str) -> dict[str, object]:
    """Return a placement with one filter, named like its values."""
    return {"filters": [{"name": "-".join(labels.values()), "match_labels": labels}]}


EAST = cluster("east", {"cpu": 8, "A100": 4}, {"cpu": 8}, labels={"at": "us"})
WEST = cluster("west", {"cpu": 4, "A100": 8}, labels={"at": "eu"})
NORTH = cluster("north", {"cpu": 64}, labels={"at": "us"}, is_ready=False)
EMPTY = cluster("empty", labels={"at": "ap"})


def state_of(config: Policy, *workloads: Workload) -> State:
    """Return a settled state of all clusters."""
    state = State(config)
    state.change_inventory(inventory([EAST, WEST, NORTH, EMPTY]))
    for each in workloads:
        state.submit(each)
    state.settle()
    return state


def told(state: State, uid: str) -> tuple[str, str]:
    """Return the reason of a pending job and its headline; the stored reason is the same."""
    pending = state.pending[uid]
    verdict = state.queues["jobs"].pending.classes[pending.class_key].verdict
    assert verdict is not None
    found = explain(state.explain(uid))
    assert found.reason is verdict.reason
    return str(found.reason), found.headline


@pytest.mark.parametrize(
    ("asked", "reason", "headline"),
    [
        pytest.param(
            job(1, {"A100": 16, "cpu": 2}),
            "exceeds_every_node",
            "Can never be placed: one replica requests more than any node of a matching cluster "
            "offers, even if nothing else ran there. Node n1 of west lacks 8 A100; node n1 of east "
            "lacks 12 A100; node n1 of north lacks 16 A100. Request at most 8 A100 for each "
            "replica, or have a larger node added.",
            id="more than any node offers",
        ),
        pytest.param(
            job(1, {"A100": 8}, placement=only(at="us")),
            "exceeds_every_node",
            "Can never be placed: one replica requests more than any node of a matching cluster "
            "offers, even if nothing else ran there. Node n1 of east lacks 4 A100; node n1 of "
            "north lacks 8 A100. Request at most 4 A100 for each replica, or have a larger node "
            "added, or change the filter us to allow west.",
            id="a cluster that the filters exclude has the room",
        ),
        pytest.param(
            job(1, {"H100": 1}, placement=only(at="eu")),
            "exceeds_every_node",
            "Can never be placed: one replica requests more than any node of a matching cluster "
            "offers, even if nothing else ran there. Node n1 of west lacks 1 H100. Have a larger "
            "node added.",
            id="a model that no cluster has",
        ),
        pytest.param(
            job(1, {"cpu": 1}, placement=only(at="mars")),
            "no_cluster_matches",
            "Can never be placed: no cluster passes the filters that apply to the job. Cluster "
            "east satisfies no filter (mars: at in [mars], but it is 'us'); west satisfies no "
            "filter (mars: at in [mars], but it is 'eu'); north satisfies no filter (mars: at in "
            "[mars], but it is 'us'); empty satisfies no filter (mars: at in [mars], but it is "
            "'ap'). Change the filter mars to allow east, west and north.",
            id="filters exclude every cluster",
        ),
        pytest.param(
            job(1, {"A100": 4}, replicas=5),
            "exceeds_all_clusters",
            "Can never be placed: the clusters that the job may use are too small for all "
            "replicas. Even if nothing else ran there, they could hold 3 of 5 replicas: 1 on east "
            "and 2 on west. Request at most 3 replicas, or have nodes added.",
            id="more replicas than all clusters could hold",
        ),
        pytest.param(
            job(1, {"A100": 4}, replicas=3, placement=only(at="us")),
            "exceeds_all_clusters",
            "Can never be placed: the clusters that the job may use are too small for all "
            "replicas. Even if nothing else ran there, they could hold 1 of 3 replicas: 1 on east. "
            "Request at most 1 replica, or have nodes added, or change the filter us to allow west "
            "(2 of 3 replicas).",
            id="together with an excluded cluster they could",
        ),
        pytest.param(
            job(1, {"cpu": 9}),
            "no_cluster_ready",
            "Waiting: no cluster that could take the job is ready; north is not ready.",
            id="a cluster that is not ready could take it",
        ),
        pytest.param(
            job(1, {"cpu": 1}, placement=only(at="ap")),
            "no_cluster_ready",
            "Waiting: no cluster that may take the job has reported nodes.",
            id="the only matching cluster has not reported nodes",
        ),
    ],
)
def test_what_keeps_a_job_from_being_placed(asked: Workload, reason: str, headline: str) -> None:
    assert told(state_of(policy(), asked), "w1") == (reason, headline)


def test_a_filter_policy_excludes_clusters_too() -> None:
    config = policy(
        filter_policies={
            "team-a": FilterPolicy(name="team-a", job_labels={"team": "a"}, include=("east",))
        },
        plugins=tuple(PluginUse(name=each) for each in ("DefaultPlugin", "ClusterAffinityPlugin")),
    )
    state = state_of(config, job(1, {"A100": 8}, labels={"team": "a"}))
    assert told(state, "w1") == (
        "exceeds_every_node",
        (
            "Can never be placed: one replica requests more than any node of a matching cluster "
            "offers, even if nothing else ran there. Node n1 of east lacks 4 A100. Request at "
            "most 4 A100 for each replica, or have a larger node added, or change the filter "
            "policy team-a to allow west."
        ),
    )


def test_the_second_pod_set_counts_as_well() -> None:
    first = job(1, {"cpu": 8}).pod_sets[0]
    second = job(1, {"A100": 16}).pod_sets[0]
    both = Workload(
        id="w2",
        sequence=2,
        labels={},
        pod_sets=(first, type(second)(name="large", count=1, requests=second.requests)),
    )
    state = state_of(policy(), job(1, {"cpu": 8}, replicas=2), both)
    # The first pod set has no room now, and the second one never will.
    reason, headline = told(state, "w2")
    assert reason == "exceeds_every_node"
    assert "Node n1 of west lacks 8 A100" in headline


def test_a_job_that_only_waits_has_a_position_and_the_numbers_of_every_cluster() -> None:
    state = state_of(
        policy(),
        job(1, {"cpu": 6, "A100": 1}),
        job(2, {"A100": 16}),
        job(3, {"A100": 4, "cpu": 1}, replicas=3),
        job(4, {"cpu": 8, "A100": 1}),
    )
    assert [told(state, uid) for uid in ("w3", "w4")] == [
        (
            "replicas_do_not_fit",
            (
                "Waiting: 2 of 3 replicas fit on the clusters that may take the job, and all "
                "have to be placed together. Cluster west has room for 2, and then node n1 lacks "
                "4 A100; east has room for none: node n1 lacks 1 A100."
            ),
        ),
        (
            "no_node_fits",
            (
                "Waiting: no node has room for one replica now. Node n1 of west lacks 4 CPUs; "
                "node n1 of east lacks 6 CPUs."
            ),
        ),
    ]
    pending = state.queues["jobs"].pending
    assert [pending.position(state.pending[uid]) for uid in ("w2", "w3", "w4")] == [None, 1, 2]


def test_reports_change_the_verdict() -> None:
    state = state_of(policy(), job(1, {"A100": 16}))
    assert told(state, "w1")[0] == "exceeds_every_node"
    large = cluster("south", {"A100": 16}, is_ready=False)
    state.change_inventory(inventory([EAST, WEST, NORTH, large]))
    state.settle()
    assert told(state, "w1")[0] == "no_cluster_ready"
    state.change_inventory(inventory([EAST, WEST]))
    state.settle()
    assert told(state, "w1")[0] == "exceeds_every_node"
    state.change_inventory(inventory([cluster("south", {"A100": 16})]))
    state.settle()
    assert "w1" in state.running


def test_without_clusters_nothing_is_known() -> None:
    state = State(policy())
    state.submit(job(1, {"cpu": 1}))
    state.settle()
    assert told(state, "w1") == ("no_cluster_ready", "Waiting: no cluster is ready.")


def test_a_config_that_rejects_such_jobs_still_does() -> None:
    state = state_of(policy(on_unplaceable=OnUnplaceable.FAIL), job(1, {"A100": 16}))
    assert not state.has_workload("w1")


def test_gpus_that_skyshift_may_drop_exceed_nothing() -> None:
    config = policy(gpu_rule=GpuRule.SKYSHIFT_HEAD)
    # It drops a request for gpus once fewer named accelerators are left than it requests.
    waits, never = job(1, {"gpus": 3, "cpu": 1}), job(2, {"gpus": 1, "cpu": 65})
    state = State(config)
    state.change_inventory(inventory([cluster("one", {"cpu": 8, "A100": 4})]))
    for each in (waits, never):
        state.submit(each)
    state.settle()
    assert told(state, "w2")[0] == "exceeds_every_node"
    assert told(state, "w1")[0] not in ("exceeds_every_node", "exceeds_all_clusters")
