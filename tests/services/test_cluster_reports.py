"""Reports of clusters: only differences are written, recorded and handed to the engine."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from console.capacity.models import Cluster, Node
from console.capacity.services import report_cluster as reporting
from console.capacity.services.delete_cluster import delete_cluster
from console.capacity.services.report_cluster import ReportResult, report_cluster
from console.errors import BadRequest, Conflict, NotAllowed, NotFound
from console.orgs.models import AuditEntry, Membership, Organization
from console.orgs.permissions import Actor
from console.orgs.services.create_org import create_org
from console.orgs.services.create_user import create_user
from console.workloads.event_facts import event_facts
from console.workloads.models import Event, Intake
from console.workloads.queries.event_search import EventSearch, search_events

Race = Callable[[Callable[[int], Any]], list[Any]]

GPU_NODE = {
    "name": "gpu-1",
    "labels": {"zone": "a"},
    "taints": [{"key": "gpu", "value": "yes", "effect": "NoSchedule"}],
    "allocatable": {"cpu": "7500m", "memory": "64Gi", "gpu": 8},
}
CPU_NODE = {"name": "cpu-1", "allocatable": {"cpu": 16, "gpu": 0}, "ready": False}
REPORT = {
    "manager": "kubernetes",
    "labels": {"region": "eu"},
    "state": "ready",
    "nodes": [GPU_NODE, CPU_NODE],
}


def rows(name: str = "east") -> list[tuple[Any, ...]]:
    """Return the nodes of a cluster, in order."""
    columns = ("name", "labels", "taints", "allocatable", "is_ready", "version")
    nodes = Node.objects.filter(cluster__name=name).order_by("position")
    return list(nodes.values_list(*columns))


def counts(result: ReportResult) -> tuple[bool, int, int, int, tuple[str, ...]]:
    return result.is_new, result.added, result.changed, result.removed, result.fields


def sentences(org: Organization) -> list[str]:
    """Return the sentences of all events, oldest first."""
    events = search_events(org, EventSearch(), 50).results
    return [event_facts(event)["message"] for event in reversed(events)]


def requests() -> list[Any]:
    return list(Intake.objects.order_by("pk").values_list("kind", "payload"))


def test_a_first_report_registers_the_cluster(operator: Actor) -> None:
    result = report_cluster(operator, "east", REPORT)

    assert counts(result) == (True, 2, 0, 0, ())
    cluster = Cluster.objects.get()
    assert (cluster.name, cluster.manager, cluster.labels, cluster.status, cluster.version) == (
        "east",
        "kubernetes",
        {"region": "eu"},
        "ready",
        1,
    )
    assert (cluster.node_count, cluster.ready_nodes) == (2, 1)
    memory = 64 * 2**30 * 1000
    assert cluster.offered == {"cpu": 23_500, "gpu": 8000, "memory": memory}
    taint = {"key": "gpu", "value": "yes", "effect": "NoSchedule"}
    amounts = {"cpu": 7500, "memory": memory, "gpu": 8000}
    assert rows() == [
        ("gpu-1", {"zone": "a"}, [taint], amounts, True, 1),
        ("cpu-1", {}, [], {"cpu": 16_000}, False, 1),
    ]
    assert requests() == [("capacity", {"cluster": "east"})]
    assert sentences(operator.org) == ["Cluster east was registered with 2 nodes."]
    entry = AuditEntry.objects.get(kind="cluster")
    assert (entry.action, entry.subject, entry.before, entry.after) == (
        "cluster.report",
        "east",
        None,
        {"nodes": 2, "state": "ready"},
    )


def test_a_repeated_report_writes_one_row(operator: Actor) -> None:
    report_cluster(operator, "east", REPORT)
    Intake.objects.all().delete()
    reordered = REPORT | {"nodes": [CPU_NODE, GPU_NODE | {"ready": True}]}

    with CaptureQueriesContext(
        connection,
    ) as queries:
        result = report_cluster(operator, "east", reordered)

    assert result.is_unchanged
    written = [each["sql"] for each in queries if not each["sql"].startswith("SELECT")]
    assert [sql.split()[0] for sql in written if "SAVEPOINT" not in sql] == ["UPDATE"]
    assert (Cluster.objects.get().version, requests()) == (1, [])
    assert [row[0] for row in rows()] == ["gpu-1", "cpu-1"]
    assert Event.objects.count() == AuditEntry.objects.filter(kind="cluster").count() == 1


def test_taken_amounts_are_part_of_a_node(operator: Actor) -> None:
    report_cluster(operator, "east", REPORT)
    # A node of which nothing is taken is stored like one of an earlier release.
    assert {*Node.objects.values_list("taken", flat=True)} == {None}
    assert report_cluster(
        operator, "east", REPORT | {"nodes": [GPU_NODE | {"taken": {}}, CPU_NODE]}
    ).is_unchanged
    taken = [GPU_NODE | {"taken": {"cpu": 2}}, CPU_NODE | {"taken": {"cpu": 1, "memory": "1Ki"}}]
    result = report_cluster(operator, "east", REPORT | {"nodes": taken})
    assert counts(result) == (False, 0, 2, 0, ())
    assert result.cluster.taken == {"cpu": 3000, "memory": 1_024_000}
    assert result.cluster.offered["cpu"] == 23_500
    assert counts(report_cluster(operator, "east", REPORT)) == (False, 0, 2, 0, ())
    assert Cluster.objects.get().taken is None


def test_only_differences_are_written(operator: Actor) -> None:
    nodes = [{"name": f"n{i}", "allocatable": {"cpu": i}} for i in range(1, 5)]
    report_cluster(operator, "east", {"nodes": nodes})
    Intake.objects.all().delete()
    changed = {"name": "n2", "allocatable": {"cpu": Decimal("2.5")}}

    result = report_cluster(
        operator, "east", {"state": "draining", "nodes": [{"name": "n5"}, *nodes[2:], changed]}
    )

    assert counts(result) == (False, 1, 1, 1, ("state",))
    assert [(row[0], row[3], row[-1]) for row in rows()] == [
        ("n2", {"cpu": 2500}, 2),
        ("n3", {"cpu": 3000}, 1),
        ("n4", {"cpu": 4000}, 1),
        ("n5", {}, 2),
    ]
    cluster = result.cluster
    assert (cluster.version, cluster.status, cluster.node_count) == (2, "draining", 4)
    assert cluster.offered == {"cpu": 9500}
    assert requests() == [("capacity", {"cluster": "east"})]
    (sentence,) = sentences(operator.org)[1:]
    assert sentence == (
        "Cluster east changed: its state is draining, and 1 node was added, 1 node was changed and "
        "1 node was removed."
    )
    entry = AuditEntry.objects.filter(kind="cluster").latest("pk")
    assert (entry.before, entry.after) == (
        {"state": "ready", "nodes": 4},
        {
            "state": "draining",
            "added": 1,
            "changed": 1,
            "removed": 1,
            "names": ["n5", "n2", "n1"],
            "nodes": 4,
        },
    )


def test_another_manager_does_not_concern_the_engine(operator: Actor) -> None:
    report_cluster(operator, "east", REPORT)
    Intake.objects.all().delete()

    result = report_cluster(operator, "east", REPORT | {"manager": "ray"})

    assert (counts(result), result.cluster.version) == ((False, 0, 0, 0, ("manager",)), 1)
    assert requests() == []
    assert sentences(operator.org)[1:] == ["Cluster east changed: it has another manager."]


@pytest.mark.every_database
def test_amounts_beyond_64_bits_are_exact(operator: Actor) -> None:
    most = 2**53 - 1
    report_cluster(operator, "east", {"nodes": [{"name": "n", "allocatable": {"memory": most}}]})
    report_cluster(
        operator, "east", {"nodes": [{"name": "n", "allocatable": {"memory": most - 1}}]}
    )
    assert rows()[0][3] == {"memory": (most - 1) * 1000}
    assert Cluster.objects.get().offered == {"memory": (most - 1) * 1000}


@pytest.mark.parametrize(
    ("report", "path", "code"),
    [
        ([], "", "wrong_type"),
        ({}, "nodes", "required"),
        ({"nodes": [], "node": []}, "node", "unknown_field"),
        ({"nodes": [{"name": "a"}] * 5001}, "nodes", "wrong_length"),
        ({"nodes": [], "state": "down"}, "state", "invalid_choice"),
        ({"nodes": [], "manager": "k" * 41}, "manager", "too_long"),
        ({"nodes": [], "labels": {"a": 1}}, "labels.a", "wrong_type"),
        ({"nodes": [], "labels": {"a": None}}, "labels.a", "wrong_type"),
        ({"nodes": [{}]}, "nodes[0].name", "required"),
        ({"nodes": [{"name": ""}]}, "nodes[0].name", "blank"),
        ({"nodes": [{"name": "a/b"}]}, "nodes[0].name", "invalid_name"),
        ({"nodes": [{"name": "a"}, {"name": "a"}]}, "nodes[1].name", "repeated_name"),
        ({"nodes": [{"name": "a", "ready": 1}]}, "nodes[0].ready", "wrong_type"),
        (
            {"nodes": [{"name": "a", "allocatable": {"cpu": "8x"}}]},
            "nodes[0].allocatable.cpu",
            "invalid_amount",
        ),
        (
            {"nodes": [{"name": "a", "allocatable": {"cpu": -1}}]},
            "nodes[0].allocatable.cpu",
            "out_of_range",
        ),
        (
            {"nodes": [{"name": "a", "taints": [{"key": "k"}]}]},
            "nodes[0].taints[0].effect",
            "required",
        ),
        (
            {"nodes": [{"name": "a", "taints": [{"key": "k", "effect": "No"}]}]},
            "nodes[0].taints[0].effect",
            "invalid_choice",
        ),
    ],
)
def test_a_wrong_report_changes_nothing_and_names_the_field(
    operator: Actor, report: Any, path: str, code: str
) -> None:
    with pytest.raises(BadRequest) as caught:
        report_cluster(operator, "east", report)
    assert [(each.path, each.code) for each in caught.value.errors] == [(path, code)]
    assert not Cluster.objects.exists()


@pytest.mark.parametrize("name", ["", "a b", "-a", "a/b", "a" * 254])
def test_a_wrong_name_is_refused(operator: Actor, name: str) -> None:
    with pytest.raises(BadRequest) as caught:
        report_cluster(operator, name, REPORT)
    assert [each.path for each in caught.value.errors] == ["name"]


def test_viewers_and_submitters_may_not_report(viewer: Actor, submitter: Actor) -> None:
    for actor in (viewer, submitter):
        with pytest.raises(NotAllowed):
            report_cluster(actor, "east", REPORT)
        with pytest.raises(NotAllowed):
            delete_cluster(actor, "east")


def test_there_is_a_limit_of_clusters(operator: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reporting, "MOST_CLUSTERS", 1)
    report_cluster(operator, "east", REPORT)
    with pytest.raises(Conflict) as caught:
        report_cluster(operator, "west", REPORT)
    assert caught.value.code == "too_many_clusters"
    assert report_cluster(operator, "east", REPORT).is_unchanged


def test_a_deleted_cluster_is_registered_again_by_its_next_report(operator: Actor) -> None:
    first = report_cluster(operator, "east", REPORT).cluster
    delete_cluster(operator, "east")
    assert not Cluster.objects.exists()
    assert not Node.objects.exists()
    with pytest.raises(NotFound):
        delete_cluster(operator, "east")

    again = report_cluster(operator, "east", REPORT).cluster

    assert (again.pk > first.pk, again.version) == (True, 1)
    assert sentences(operator.org) == [
        "Cluster east was registered with 2 nodes.",
        "Cluster east was deleted with 2 nodes.",
        "Cluster east was registered with 2 nodes.",
    ]
    assert requests() == [("capacity", {"cluster": "east"})] * 3
    entry = AuditEntry.objects.get(action="cluster.delete")
    assert (entry.subject, entry.before, entry.after) == (
        "east",
        {"nodes": 2, "state": "ready"},
        None,
    )


def test_clusters_of_other_organizations_stay(operator: Actor, other_org: Organization) -> None:
    report_cluster(operator, "east", REPORT)
    report_cluster(Actor.from_command(other_org), "east", {"nodes": []})
    assert Cluster.objects.get(org=operator.org).node_count == 2
    delete_cluster(Actor.from_command(other_org), "east")
    assert [cluster.org for cluster in Cluster.objects.all()] == [operator.org]


def test_concurrent_reports_are_stored_one_after_the_other(race: Race) -> None:
    org = create_org("here", "Here", None)
    user = create_user("owner@here.example", "correct horse battery")
    Membership.objects.create(org=org, user=user, role="owner")
    actor = Actor.from_user(org, user, "owner")

    def report(number: int) -> ReportResult | Conflict:
        nodes = [{"name": f"n{i}", "labels": {"by": str(number)}} for i in range(number + 1)]
        try:
            return report_cluster(actor, "east", {"nodes": nodes})
        except Conflict as error:
            return error

    results = race(report)

    stored = [each for each in results if isinstance(each, ReportResult)]
    refused = [each.code for each in results if isinstance(each, Conflict)]
    assert len(stored) + len(refused) == len(results), results
    assert {*refused} <= {"concurrent_reports"}
    assert [each.is_new for each in stored].count(True) == 1
    assert sorted(each.cluster.version for each in stored) == list(range(1, len(stored) + 1))
    cluster = Cluster.objects.get()
    last = {row[1]["by"] for row in rows()}
    assert (len(rows()), len(last)) == (cluster.node_count, 1)
    assert cluster.node_count == int(last.pop()) + 1
