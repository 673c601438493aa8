"""Clusters over HTTP: reports, heartbeats, lists with nodes, and deletion."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext

from console.capacity.models import Cluster
from console.capacity.queries import clusters
from console.capacity.services.mark_silent_clusters import mark_silent_clusters
from console.orgs.permissions import Actor
from console.workloads.models import NodeUsage
from tests.api.conftest import Api

NODE = {
    "name": "gpu-1",
    "labels": {"zone": "a"},
    "taints": [{"key": "gpu", "value": "yes", "effect": "NoSchedule"}],
    "allocatable": {"cpu": 7.5, "memory": "64Gi", "gpu": 8},
}
REPORT = {"manager": "ray", "labels": {"region": "eu"}, "nodes": [NODE, {"name": "gpu-2"}]}
STORED: dict[str, Any] = {
    "name": "east",
    "manager": "ray",
    "labels": {"region": "eu"},
    "state": "ready",
    "status": "ready",
    "sends_heartbeats": False,
    "version": 1,
    "node_count": 2,
    "ready_nodes": 2,
    "offered": {"cpu": 7.5, "gpu": 8, "memory": 64 * 2**30},
    "taken": {},
}
NODES = [
    {
        **NODE,
        "allocatable": {"cpu": 7.5, "gpu": 8, "memory": 64 * 2**30},
        "taken": {},
        "ready": True,
    },
    {"name": "gpu-2", "labels": {}, "taints": [], "allocatable": {}, "taken": {}, "ready": True},
]
UNCHANGED = {"is_new": False, "added": 0, "changed": 0, "removed": 0, "fields": []}


@pytest.fixture
def client(api: Callable[[Actor], Api], operator: Actor) -> Api:
    return api(operator)


def without_time(body: dict[str, Any]) -> dict[str, Any]:
    assert body["last_seen"].endswith("Z")
    return {name: value for name, value in body.items() if name != "last_seen"}


def test_a_life_of_a_cluster(client: Api) -> None:
    made = client.put("capacity/clusters/east", REPORT)
    new = {**UNCHANGED, "is_new": True, "added": 2}
    assert (made.status, without_time(made.body)) == (201, {**STORED, "changes": new})
    again = client.put("capacity/clusters/east", REPORT)
    assert (again.status, again.body["changes"]) == (200, UNCHANGED)

    shown = client.get("capacity/clusters/east").body
    assert without_time(shown) == {
        **STORED,
        "used": {},
        "free": STORED["offered"],
        "nodes": [{**each, "used": {}, "free": each["allocatable"]} for each in NODES],
        "missing_nodes": [],
    }
    assert client.get("capacity").body == {"results": [shown], "next": None}
    (short,) = client.get("capacity", nodes="false").body["results"]
    assert short == {
        name: value for name, value in shown.items() if name not in ("nodes", "missing_nodes")
    }

    changed = client.put("capacity/clusters/east", {**REPORT, "state": "draining", "nodes": [NODE]})
    assert changed.body["changes"] == {**UNCHANGED, "removed": 1, "fields": ["state"]}
    assert (changed.body["status"], changed.body["version"]) == ("draining", 2)

    beat = client.post("capacity/clusters/east/heartbeat")
    assert (beat.status, beat.body) == (200, {"name": "east", "version": 2})
    Cluster.objects.update(last_seen=F("last_seen") - timedelta(hours=1))
    mark_silent_clusters()
    silent = client.get("capacity/clusters/east").body
    assert (silent["state"], silent["status"], silent["version"]) == ("draining", "silent", 3)
    assert client.post("capacity/clusters/east/heartbeat").body["version"] == 4

    gone = client.delete("capacity/clusters/east")
    assert (gone.status, gone.body["name"], gone.body["node_count"]) == (200, "east", 1)
    for answer in (
        client.get("capacity/clusters/east"),
        client.delete("capacity/clusters/east"),
        client.post("capacity/clusters/east/heartbeat"),
    ):
        assert answer.problem == (404, "not_found")
    assert client.get("capacity").body == {"results": [], "next": None}


def test_used_and_free_amounts_of_nodes(client: Api, operator: Actor) -> None:
    client.put("capacity/clusters/east", REPORT)
    for node, used in ((NODE["name"], {"cpu": 2_500}), ("gone", {"cpu": 1_000})):
        NodeUsage.objects.create(
            org=operator.org, key=f"east/{node}", cluster="east", node=node, used=used
        )
    shown = client.get("capacity/clusters/east").body
    by_name = {each["name"]: each for each in shown["nodes"]}
    node = by_name.pop(NODE["name"])
    assert node["used"] == {"cpu": 2.5}
    assert node["free"] == {**node["allocatable"], "cpu": node["allocatable"]["cpu"] - 2.5}
    assert [each["used"] for each in by_name.values()] == [{}]
    assert shown["missing_nodes"] == [{"name": "gone", "used": {"cpu": 1}}]
    assert shown["used"] == {"cpu": 3.5}
    assert shown["free"] == {**shown["offered"], "cpu": shown["offered"]["cpu"] - 3.5}


def test_what_other_schedulers_use_is_not_free(client: Api, operator: Actor) -> None:
    taken = {"cpu": "1500m", "gpu": 1}
    client.put("capacity/clusters/east", {"nodes": [{**NODE, "taken": taken}, {"name": "gpu-2"}]})
    used = {"cpu": 1_000, "gpu": 8_000}
    NodeUsage.objects.create(
        org=operator.org, key="east/gpu-1", cluster="east", node="gpu-1", used=used
    )
    shown = client.get("capacity/clusters/east").body
    assert [each["taken"] for each in shown["nodes"]] == [{"cpu": 1.5, "gpu": 1}, {}]
    assert (shown["taken"], shown["offered"]) == ({"cpu": 1.5, "gpu": 1}, STORED["offered"])
    free = {"cpu": 5, "gpu": -1, "memory": 64 * 2**30}
    assert shown["free"] == shown["nodes"][0]["free"] == free


def test_a_wrong_report_names_every_field(client: Api) -> None:
    taken = {"cpu": -1}
    nodes = [
        {"name": "a", "allocatable": {"cpu": 0.0001}, "taken": taken},
        {"name": "a", "labels": {"k": 1}},
    ]
    wrong = client.put("capacity/clusters/east", {"nodes": nodes, "stat": "ready"})
    assert wrong.problem == (400, "invalid_request")
    assert [(each["path"], each["code"]) for each in wrong.body["errors"]] == [
        ("stat", "unknown_field"),
        ("nodes[0].allocatable.cpu", "invalid_amount"),
        ("nodes[0].taken.cpu", "out_of_range"),
        ("nodes[1].labels.k", "wrong_type"),
        ("nodes[1].name", "repeated_name"),
    ]
    assert client.put("capacity/clusters/a%20b", REPORT).body["errors"][0]["path"] == "name"


def test_a_page_of_clusters_ends_before_it_has_too_many_nodes(
    client: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clusters, "NODES_ON_PAGE", 3)
    for name, count in (("a", 2), ("b", 1), ("c", 5), ("d", 0)):
        client.put(
            f"capacity/clusters/{name}", {"nodes": [{"name": f"n{i}"} for i in range(count)]}
        )

    def pages(**query: Any) -> list[list[str]]:
        found, cursor = [], ""
        while cursor is not None:
            page = client.get("capacity", cursor=cursor, **query).body
            found.append([each["name"] for each in page["results"]])
            cursor = page["next"]
        return found

    assert pages() == [["a", "b"], ["c"], ["d"]]
    assert pages(limit=1) == [["a"], ["b"], ["c"], ["d"]]
    assert pages(nodes="false") == [["a", "b", "c", "d"]]
    assert pages(nodes="false", limit=3) == [["a", "b", "c"], ["d"]]


def test_wrong_parameters_are_refused(client: Api) -> None:
    assert client.get("capacity", nodes="some").body["errors"][0]["path"] == "nodes"
    assert client.get("capacity", cursor="x").body["errors"][0]["path"] == "cursor"


def test_a_list_reads_nodes_once(client: Api) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as found:
            client.get("capacity")
        return len(found)

    client.put("capacity/clusters/a", {"nodes": [{"name": "n"}]})
    before = queries()
    for name in "bcd":
        client.put(f"capacity/clusters/{name}", {"nodes": [{"name": f"n{i}"} for i in range(20)]})
    assert queries() == before
