"""Single pods of running workloads: they finish, are released, and move when a cluster goes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from console.capacity.services.delete_cluster import delete_cluster
from console.capacity.services.report_cluster import report_cluster
from console.configs.services.apply_config import apply_config
from console.engine.disciplines.placement.reasons import MOVED, PLACED, REPLICAS_LOST
from console.engine.disciplines.placement.spec import QUEUE
from console.errors import Conflict
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.workloads.explanations import explain_workload
from console.workloads.models import Decision, Event, Intake, State, Workload
from console.workloads.pod_reports import PodReport
from console.workloads.queries.node_usage import node_usage_of
from console.workloads.services import run_engine as running
from console.workloads.services.end_pods import end_pods
from console.workloads.services.end_workloads import release_workloads
from console.workloads.services.snapshot_state import snapshot_state
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.services.write_intake import write_intake
from console.workloads.submissions import read_submissions

Settle = Callable[[Organization], int]


def report(owner: Actor, cluster: str, *cpus: int, **fields: Any) -> None:
    nodes = [{"name": f"n{n}", "allocatable": {"cpu": cpu}} for n, cpu in enumerate(cpus, 1)]
    report_cluster(owner, cluster, {"nodes": nodes, **fields})


@pytest.fixture
def clusters(owner: Actor, settle: Settle) -> Organization:
    """An organization with the clusters east (two nodes of four CPUs) and west (one of two)."""
    apply_config(owner, "skyshift", "{kind: Scheduler, spec: {on_unplaceable: wait}}", "", 0)
    report(owner, "east", 4, 4)
    report(owner, "west", 2)
    settle(owner.org)
    return owner.org


@pytest.fixture
def train(owner: Actor, clusters: Organization, settle: Settle) -> Workload:
    """A job with four replicas of two CPUs each, all on east."""
    pods = {"name": "main", "count": 4, "requests": {"cpu": 2}}
    body: list[dict[str, Any]] = [{"name": "train", "pod_sets": [pods]}]
    (row,) = submit_workloads(owner, read_submissions(body))
    settle(clusters)
    row.refresh_from_db()
    assert places(row) == {"east/n1": 2, "east/n2": 2}
    return row


def places(row: Workload, key: str = "places") -> dict[str, int]:
    row.refresh_from_db()
    return {
        f"{place['cluster']}/{place['node']}": place["count"]
        for each in row.assignment
        for place in each.get(key, ())
    }


def used(org: Organization) -> dict[str, int]:
    return {f"{c}/{n}": amounts["cpu"] for (c, n), amounts in sorted(node_usage_of(org).items())}


def pods(kind: str, count: int, cluster: str | None = None, node: str | None = None) -> PodReport:
    return PodReport(kind=kind, pod_set="main", count=count, cluster=cluster, node=node)


def finished(count: int, cluster: str | None = None, node: str | None = None) -> PodReport:
    return pods(PodReport.FINISH, count, cluster, node)


def released(count: int, cluster: str | None = None, node: str | None = None) -> PodReport:
    return pods(PodReport.RELEASE, count, cluster, node)


def last_decision(row: Workload) -> Decision:
    return Decision.objects.filter(workload=row).latest("pk")


def events(row: Workload) -> list[tuple[str, dict[str, Any]]]:
    rows = Event.objects.filter(workload=row, type__startswith="PODS_").order_by("pk")
    named = ("workload", "name")
    return [(e.type, {k: v for k, v in e.data.items() if k not in named}) for e in rows]


AT: Final = {"pod_set": "main", "cluster": "east"}


def test_replicas_of_a_deleted_cluster_move_when_there_is_room(
    owner: Actor, clusters: Organization, train: Workload, settle: Settle
) -> None:
    report(owner, "north", 2, 2)
    settle(clusters)
    delete_cluster(owner, "east")
    settle(clusters)
    # Three of four replicas fit: none moves.
    assert places(train) == {"east/n1": 2, "east/n2": 2}
    decision = last_decision(train)
    assert (decision.outcome, decision.reason) == ("resized", REPLICAS_LOST)
    assert decision.resize == {"granted": [], "taken": []}
    assert explain_workload(clusters, train).explanation.headline == (
        "Running, but 4 replicas lost their place and do not fit elsewhere now. They get another "
        "place when there is room for all of them."
    )
    running.forget_states()
    report(owner, "north", 2, 2, 2)
    settle(clusters)
    assert places(train) == {"north/n1": 1, "north/n2": 1, "north/n3": 1, "west/n1": 1}
    assert places(train, "stopping") == {"east/n1": 2, "east/n2": 2}
    decision = last_decision(train)
    assert (decision.outcome, decision.reason) == ("resized", MOVED)
    assert decision.resize == {
        "granted": [
            {"pod_set": "main", "count": 1, "cluster": "north", "node": "n1"},
            {"pod_set": "main", "count": 1, "cluster": "north", "node": "n2"},
            {"pod_set": "main", "count": 1, "cluster": "north", "node": "n3"},
            {"pod_set": "main", "count": 1, "cluster": "west", "node": "n1"},
        ],
        "taken": [{**AT, "count": 2, "node": "n1"}, {**AT, "count": 2, "node": "n2"}],
    }
    told = explain_workload(clusters, train).explanation
    assert told.headline == (
        "Running: 4 replicas moved from east to north (3 replicas) and west (1 replica)."
    )
    # They use their nodes until the executor has stopped them.
    moved = {"north/n1": 2000, "north/n2": 2000, "north/n3": 2000, "west/n1": 2000}
    assert used(clusters) == {"east/n1": 4000, "east/n2": 4000, **moved}
    end_pods(owner, train.uid, released(4))
    settle(clusters)
    assert places(train, "stopping") == {}
    assert used(clusters) == moved
    resized = {"granted": [], "taken": [], "reason": REPLICAS_LOST}
    assert events(train) == [
        ("PODS_RESIZED", resized),
        ("PODS_RESIZED", {**(decision.resize or {}), "reason": MOVED}),
        ("PODS_RELEASED", {"pod_set": "main", "count": 4}),
    ]
    assert (train.state, train.reason) == (State.ADMITTED, MOVED)


def test_a_single_lost_replica_is_told_in_the_singular(
    owner: Actor, clusters: Organization, settle: Settle
) -> None:
    (row,) = submit_workloads(owner, read_submissions([{"name": "one", "requests": {"cpu": 4}}]))
    settle(clusters)
    delete_cluster(owner, "east")
    settle(clusters)
    row.refresh_from_db()
    assert explain_workload(clusters, row).explanation.headline == (
        "Running, but 1 replica lost its place and does not fit elsewhere now. It gets another "
        "place when there is room for it."
    )


def test_only_the_replicas_of_a_lost_node_move(
    owner: Actor, clusters: Organization, train: Workload, settle: Settle
) -> None:
    report(owner, "north", 4)
    settle(clusters)
    report(owner, "east", 4)
    settle(clusters)
    assert places(train) == {"east/n1": 2, "north/n1": 2}
    assert places(train, "stopping") == {"east/n2": 2}
    assert explain_workload(clusters, train).explanation.headline == (
        "Running: 2 replicas moved from east to north; the others stay."
    )


def test_replicas_stay_if_their_cluster_returns_before_they_could_move(
    owner: Actor, clusters: Organization, train: Workload, settle: Settle
) -> None:
    report(owner, "east", 4, 4, state="error")
    settle(clusters)
    assert last_decision(train).reason == REPLICAS_LOST
    report(owner, "east", 4, 4)
    settle(clusters)
    decision = last_decision(train)
    assert (decision.outcome, decision.reason) == ("resized", PLACED)
    assert places(train) == {"east/n1": 2, "east/n2": 2}
    assert places(train, "stopping") == {}
    assert explain_workload(clusters, train).explanation.headline == "Placed on east."


def test_a_draining_cluster_keeps_its_replicas(
    owner: Actor, clusters: Organization, train: Workload, settle: Settle
) -> None:
    report(owner, "north", 4, 4)
    report(owner, "east", 4, 4, state="draining")
    settle(clusters)
    assert places(train) == {"east/n1": 2, "east/n2": 2}
    assert last_decision(train).outcome == "admitted"


def test_finished_replicas_free_their_node_and_the_last_one_ends_the_job(
    owner: Actor, clusters: Organization, train: Workload, settle: Settle
) -> None:
    end_pods(owner, train.uid, finished(1, "east", "n2"))
    end_pods(owner, train.uid, finished(2))
    settle(clusters)
    assert places(train) == {"east/n2": 1}
    assert (train.remaining_pods, used(clusters)) == ({"main": 1}, {"east/n2": 2000})
    running.forget_states()
    end_pods(owner, train.uid, finished(1))
    settle(clusters)
    train.refresh_from_db()
    assert (train.state, used(clusters)) == (State.FINISHED, {})
    assert train.ended_at is not None
    assert events(train) == [
        ("PODS_FINISHED", {"pod_set": "main", "count": 1, "cluster": "east", "node": "n2"}),
        ("PODS_FINISHED", {"pod_set": "main", "count": 2}),
    ]


def test_released_replicas_get_another_place(
    owner: Actor, clusters: Organization, train: Workload, settle: Settle
) -> None:
    end_pods(owner, train.uid, released(1, "east", "n1"))
    settle(clusters)
    assert places(train) == {"east/n1": 2, "east/n2": 2}
    decision = last_decision(train)
    assert (decision.outcome, decision.reason) == ("resized", MOVED)
    assert decision.resize == {"granted": [{**AT, "count": 1, "node": "n1"}], "taken": []}


def test_a_report_that_does_not_fit_is_refused(
    owner: Actor, clusters: Organization, train: Workload, settle: Settle
) -> None:
    who = f"train ({train.uid})"
    for wrong, code, sentence in [
        (
            finished(5),
            "no_such_pods",
            (
                f"{who} has 4 running pods of pod set main, not 5; they are: 2 on n1 in east, 2 on "
                "n2 in east. Nothing was changed."
            ),
        ),
        (
            finished(1, "west"),
            "no_such_pods",
            (
                f"{who} has 0 running pods of pod set main in cluster west, not 1; they are: 2 on "
                "n1 in east, 2 on n2 in east. Nothing was changed."
            ),
        ),
        (
            PodReport(kind=PodReport.FINISH, pod_set="workers", count=1),
            "no_such_pods",
            f"{who} has no pod set workers; its pod sets are: main. Nothing was changed.",
        ),
    ]:
        with pytest.raises(Conflict) as refused:
            end_pods(owner, train.uid, wrong)
        assert (refused.value.code, refused.value.message) == (code, sentence)
    end_pods(owner, train.uid, finished(4))
    settle(clusters)
    with pytest.raises(Conflict) as refused:
        end_pods(owner, train.uid, finished(1))
    assert refused.value.message == f"{who} is finished, so it has no pods. Nothing was changed."


def test_a_report_with_a_key_counts_once(
    owner: Actor, clusters: Organization, train: Workload, settle: Settle
) -> None:
    end_pods(owner, train.uid, finished(1), "one")
    end_pods(owner, train.uid, finished(1), "one")
    settle(clusters)
    train.refresh_from_db()
    assert train.remaining_pods == {"main": 3}
    with pytest.raises(Conflict) as refused:
        end_pods(owner, train.uid, finished(2), "one")
    assert refused.value.code == "idempotency_key_reused"


KUEUE: Final = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: spot}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: team}
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu]
    flavors:
    - name: spot
      resources: [{name: cpu, nominalQuota: 4}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: team, namespace: default}
spec: {clusterQueue: team}
"""


def test_finished_pods_release_quota_and_stay_finished_after_a_preemption(
    owner: Actor, settle: Settle
) -> None:
    apply_config(owner, "kueue", KUEUE, "", 0)
    body: list[dict[str, Any]] = [
        {
            "name": name,
            "namespace": "default",
            "tags": {"kueue.x-k8s.io/queue-name": "team"},
            "pod_sets": [{"name": "main", "count": count, "requests": {"cpu": 1}}],
        }
        for name, count in (("first", 4), ("second", 2))
    ]
    first, second = submit_workloads(owner, read_submissions(body))
    settle(owner.org)
    second.refresh_from_db()
    assert second.state == State.PENDING
    end_pods(owner, first.uid, finished(2))
    settle(owner.org)
    second.refresh_from_db()
    first.refresh_from_db()
    assert (first.state, second.state) == (State.ADMITTED, State.ADMITTED)
    assert first.assignment == [{"name": "main", "count": 2, "flavors": {"cpu": "spot"}}]
    with pytest.raises(Conflict) as refused:
        end_pods(owner, first.uid, released(1))
    assert refused.value.code == "no_single_pods"
    # Drained and released, it requests only what has not finished.
    drained = KUEUE.replace(
        "  namespaceSelector", "  stopPolicy: HoldAndDrain\n  namespaceSelector"
    )
    apply_config(owner, "kueue", drained, "", 1)
    settle(owner.org)
    with pytest.raises(Conflict) as refused:
        end_pods(owner, first.uid, released(1))
    assert refused.value.code == "wrong_state"
    release_workloads(owner, [first.uid])
    apply_config(owner, "kueue", KUEUE, "", 2)
    running.forget_states()
    settle(owner.org)
    first.refresh_from_db()
    assert (first.state, first.remaining_pods) == (State.ADMITTED, {"main": 2})
    assert first.assignment == [{"name": "main", "count": 2, "flavors": {"cpu": "spot"}}]


#: KUEUE with a queue that has the name of the queue of SkyShift's configs.
JOBS_QUEUE: Final = KUEUE.replace(
    "kind: ClusterQueue\nmetadata: {name: team}", f"kind: ClusterQueue\nmetadata: {{name: {QUEUE}}}"
).replace("clusterQueue: team", f"clusterQueue: {QUEUE}")


def quota_job(owner: Actor, count: int, min_count: int) -> Workload:
    pods = {"name": "main", "count": count, "min_count": min_count, "requests": {"cpu": 1}}
    tags = {"kueue.x-k8s.io/queue-name": "team"}
    body = {"name": "train", "namespace": "default", "tags": tags, "pod_sets": [pods]}
    (row,) = submit_workloads(owner, read_submissions([body]))
    return row


def test_a_workload_that_started_with_fewer_pods_ends_with_the_last_of_them(
    owner: Actor, settle: Settle
) -> None:
    apply_config(owner, "kueue", KUEUE, "", 0)
    row = quota_job(owner, 6, 2)
    settle(owner.org)
    for ended, state in ((3, State.ADMITTED), (1, State.FINISHED)):
        end_pods(owner, row.uid, finished(ended))
        settle(owner.org)
        running.forget_states()
        row.refresh_from_db()
        assert row.state == state
    assert row.remaining_pods == {"main": 2}


def test_pods_with_quota_get_no_places_under_a_config_that_places_jobs(
    owner: Actor, settle: Settle
) -> None:
    apply_config(owner, "kueue", JOBS_QUEUE, "", 0)
    row = quota_job(owner, 6, 2)
    report(owner, "east", 4, 4)
    settle(owner.org)
    apply_config(owner, "skyshift", "{kind: Scheduler, spec: {on_unplaceable: wait}}", "", 1)
    settle(owner.org)
    row.refresh_from_db()
    started = [{"name": "main", "count": 4, "flavors": {"cpu": "spot"}}]
    assert (row.state, row.queue, row.assignment) == (State.ADMITTED, QUEUE, started)
    with pytest.raises(Conflict) as refused:
        end_pods(owner, row.uid, released(1))
    assert (refused.value.code, refused.value.message) == (
        "no_single_pods",
        (
            f"The scheduler of an earlier config started train ({row.uid}) as a whole, so single "
            "pods cannot be released: report finished pods as finished, and restart others in "
            "their place. Nothing was changed."
        ),
    )
    end_pods(owner, row.uid, finished(4))
    settle(owner.org)
    row.refresh_from_db()
    assert row.state == State.FINISHED


def test_a_release_that_was_requested_before_the_config_changed_is_ignored(
    owner: Actor, settle: Settle
) -> None:
    apply_config(owner, "kueue", JOBS_QUEUE, "", 0)
    row = quota_job(owner, 4, 4)
    report(owner, "east", 4, 4)
    settle(owner.org)
    apply_config(owner, "skyshift", "{kind: Scheduler, spec: {on_unplaceable: wait}}", "", 1)
    settle(owner.org)
    payload = {"ids": [row.pk], "report": released(1).stored(), "actor": "owner"}
    write_intake(owner.org.pk, Intake.Kind.PODS, payload)
    settle(owner.org)
    row.refresh_from_db()
    assert row.assignment == [{"name": "main", "count": 4, "flavors": {"cpu": "spot"}}]
    assert events(row) == []


def test_a_snapshot_knows_finished_and_lost_replicas(
    owner: Actor, clusters: Organization, train: Workload, settle: Settle
) -> None:
    end_pods(owner, train.uid, finished(1))
    report(owner, "east", 4, 4, state="error")
    settle(clusters)
    assert last_decision(train).reason == REPLICAS_LOST
    state, _ = snapshot_state(clusters)
    (pod_set,) = state.running[train.uid].workload.pod_sets
    assert pod_set.count == 3
    assert state.settle() == []
