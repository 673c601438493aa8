"""Usage of nodes: the worker stores it, and every loaded state has it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from console.capacity.services.delete_cluster import delete_cluster
from console.capacity.services.report_cluster import report_cluster
from console.configs.services.apply_config import apply_config
from console.engine.disciplines.placement.reasons import NO_CLUSTER_MATCHES, NO_NODE_FITS
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.workloads.explanations import explain_workload
from console.workloads.models import NodeUsage, State, Workload
from console.workloads.queries.node_usage import node_usage_of
from console.workloads.services import run_engine as running
from console.workloads.services.end_workloads import finish_workloads
from console.workloads.services.snapshot_state import snapshot_state
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import read_submissions

Settle = Callable[[Organization], int]

_CONFIG: Final = "{kind: Scheduler, spec: {on_unplaceable: wait}}"


@pytest.fixture
def cluster(owner: Actor, settle: Settle) -> Organization:
    """An organization with one cluster of two nodes with four CPUs each."""
    apply_config(owner, "skyshift", _CONFIG, "", 0)
    nodes = [{"name": name, "allocatable": {"cpu": 4}} for name in ("n1", "n2")]
    report_cluster(owner, "east", {"nodes": nodes})
    settle(owner.org)
    return owner.org


def submit(owner: Actor, name: str, cpu: int, replicas: int = 1) -> Workload:
    pods = {"name": "main", "count": replicas, "requests": {"cpu": cpu}}
    body: list[dict[str, Any]] = [{"name": name, "pod_sets": [pods]}]
    (row,) = submit_workloads(owner, read_submissions(body))
    return row


def used(org: Organization) -> dict[str, int]:
    return {node: amounts["cpu"] for (_, node), amounts in sorted(node_usage_of(org).items())}


def test_usage_follows_admissions_and_ends(
    owner: Actor, cluster: Organization, settle: Settle
) -> None:
    first = submit(owner, "first", 2, 3)
    settle(cluster)
    assert used(cluster) == {"n1": 4000, "n2": 2000}
    second = submit(owner, "second", 1)
    settle(cluster)
    assert used(cluster) == {"n1": 4000, "n2": 3000}
    finish_workloads(owner, [first.uid])
    settle(cluster)
    assert used(cluster) == {"n2": 1000}
    finish_workloads(owner, [second.uid])
    settle(cluster)
    assert not NodeUsage.objects.exists()


def test_a_loaded_state_does_not_place_jobs_on_used_capacity(
    owner: Actor, cluster: Organization, settle: Settle
) -> None:
    submit(owner, "first", 3, 2)
    settle(cluster)
    running.forget_states()
    waiting = submit(owner, "second", 2)
    settle(cluster)
    waiting.refresh_from_db()
    assert waiting.state == State.PENDING
    assert used(cluster) == {"n1": 3000, "n2": 3000}


def test_a_waiting_job_is_explained_with_the_usage_of_nodes(
    owner: Actor, cluster: Organization, settle: Settle
) -> None:
    submit(owner, "first", 3, 2)
    waiting = submit(owner, "second", 2)
    settle(cluster)
    waiting.refresh_from_db()
    told = explain_workload(cluster, waiting).explanation
    assert told.reason is NO_NODE_FITS
    assert told.headline == (
        "Waiting: no node has room for one replica now. Node n1 of east lacks 1 CPU."
    )


def test_a_job_that_may_not_use_the_full_cluster_does_not_wait_for_room_there(
    owner: Actor, cluster: Organization, settle: Settle
) -> None:
    submit(owner, "first", 4, 2)
    body: list[dict[str, Any]] = [
        {
            "name": "lost",
            "requests": {"cpu": 2},
            "placement": {"filters": [{"name": "eu", "match_labels": {"region": "eu"}}]},
        }
    ]
    (row,) = submit_workloads(owner, read_submissions(body))
    settle(cluster)
    row.refresh_from_db()
    told = explain_workload(cluster, row).explanation
    assert told.reason is NO_CLUSTER_MATCHES
    (verdict,) = [
        each.text
        for stage in told.stages
        if stage.stage == "placement"
        for each in stage.sentences
        if each.text.startswith("east")
    ]
    assert verdict == (
        "east has no node with room for one replica: n1 comes closest and lacks 2 CPUs. Its "
        "labels would remove it, too."
    )


def test_usage_stays_when_a_cluster_is_deleted_and_returns(
    owner: Actor, cluster: Organization, settle: Settle
) -> None:
    submit(owner, "first", 3, 2)
    settle(cluster)
    delete_cluster(owner, "east")
    settle(cluster)
    assert used(cluster) == {"n1": 3000, "n2": 3000}
    waiting = submit(owner, "second", 2)
    report_cluster(owner, "east", {"nodes": [{"name": "n1", "allocatable": {"cpu": 4}}]})
    settle(cluster)
    waiting.refresh_from_db()
    assert (waiting.state, used(cluster)) == (State.PENDING, {"n1": 3000, "n2": 3000})


def test_a_snapshot_has_the_clusters_whatever_the_active_language(
    owner: Actor, settle: Settle
) -> None:
    # A draft in another language may be tried on it.
    apply_config(owner, "native", "resource_queues: []\n", "", 0)
    report_cluster(owner, "east", {"nodes": [{"name": "n1", "allocatable": {"cpu": 4}}]})
    settle(owner.org)
    state, _ = snapshot_state(owner.org)
    assert list(state.inventory.clusters) == ["east"]
