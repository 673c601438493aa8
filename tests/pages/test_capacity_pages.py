"""Pages of clusters: the list, filters of nodes, silence, exports and deletion."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F
from django.test import Client

from console.capacity.models import Cluster
from console.capacity.services.delete_cluster import delete_cluster
from console.capacity.services.mark_silent_clusters import mark_silent_clusters
from console.capacity.services.record_heartbeat import record_heartbeat
from console.capacity.services.report_cluster import report_cluster
from console.configs.services.apply_config import apply_config
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.workloads.models import NodeUsage
from console.workloads.services.end_workloads import finish_workloads
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import read_submissions
from tests.pages.conftest import CLUSTER
from tests.pages.page import Element, read_page

LIST = "/o/here/capacity"
EAST = f"{LIST}/east"


@pytest.fixture
def east(owner: Actor) -> None:
    report_cluster(owner, "east", CLUSTER)


def table(page: Element, name: str) -> list[list[str]]:
    """Return the texts of the cells of a table."""
    return [
        [cell.text for cell in row.children if isinstance(cell, Element)]
        for row in page.id(name).all("tr")
    ]


def exported(browser: Client, address: str) -> str:
    response = browser.get(address)
    return b"".join(response.streaming_content).decode()


def test_the_list_shows_every_cluster(browser: Client, owner: Actor, east: None) -> None:
    report_cluster(owner, "west", {"state": "draining", "nodes": []})
    page = read_page(browser.get(LIST))
    rows = [row[:-1] for row in table(page, "cluster-rows")]
    assert rows == [
        ["east region=eu", "Ready", "kubernetes", "1 of 2", "80 CPUs, 8 GPUs", "—"],
        ["west", "Draining", "—", "0 of 0", "—", "—"],
    ]
    (link, _) = page.id("cluster-rows").all("a")
    assert link.attrs["href"] == EAST
    found = read_page(browser.get(LIST, {"q": "WES"}))
    assert [row[0] for row in table(found, "cluster-rows")] == ["west"]
    assert "No cluster name contains north" in read_page(browser.get(LIST, {"q": "north"})).text


def test_an_empty_list_says_how_to_report_the_first_cluster(people: dict[str, Client]) -> None:
    for role, browser in people.items():
        text = read_page(browser.get(LIST)).text
        assert "No clusters yet" in text
        may_report = role in ("operator", "owner")
        assert ("curl -X PUT http://testserver/api/v1/orgs/here/capacity" in text) is may_report
        assert ("An operator or owner can set it up." in text) is not may_report


def test_the_page_of_a_cluster_shows_its_nodes(browser: Client, east: None) -> None:
    page = read_page(browser.get(EAST))
    assert table(page, "node-rows") == [
        [
            "gpu-1",
            "Ready",
            "arch=amd64 gpu=a100 rack=r1 1 more zone=a",
            "gpu:NoSchedule",
            "64 CPUs, 8 GPUs",
            "—",
            "64 CPUs, 8 GPUs",
        ],
        ["cpu-1", "Not ready", "0=zero zone=b", "—", "16 CPUs", "—", "16 CPUs"],
    ]
    facts = page.id("cluster-facts").text
    for fact in ("Ready", "kubernetes", "region=eu", "1 of 2 ready", "80 CPUs, 8 GPUs, by all"):
        assert fact in facts
    assert "cannot become silent" in facts


def test_pages_show_what_workloads_use_of_nodes(browser: Client, owner: Actor, east: None) -> None:
    for cluster, node, used in (
        ("east", "gpu-1", {"cpu": 24_000}),
        ("east", "gone-1", {"cpu": 2_000}),
        ("south", "n1", {"cpu": 1_000}),
    ):
        NodeUsage.objects.create(
            org=owner.org, key=f"{cluster}/{node}", cluster=cluster, node=node, used=used
        )
    page = read_page(browser.get(EAST))
    assert [row[-2:] for row in table(page, "node-rows")] == [
        ["24 CPUs", "40 CPUs, 8 GPUs"],
        ["—", "16 CPUs"],
    ]
    assert "Used 26 CPUs, by workloads with nodes here" in page.id("cluster-facts").text
    notice = (
        "Pods still use nodes that the last report does not have, until their executor reports "
        "that they have ended: gone-1 (2 CPUs)."
    )
    assert notice in page.id("cluster-notice").text
    listed = read_page(browser.get(LIST))
    assert [row[-2] for row in table(listed, "cluster-rows")] == ["26 CPUs"]
    notice = "nodes of deleted clusters, until their executor reports that they have ended: south"
    assert notice in listed.text


def test_the_page_of_a_cluster_shows_what_runs_there(
    browser: Client, owner: Actor, settle: Callable[[Organization], int]
) -> None:
    apply_config(owner, "skyshift", "{kind: Scheduler, spec: {on_unplaceable: wait}}", "", 0)
    nodes = [{"name": f"n{i}", "allocatable": {"cpu": 1}} for i in range(5)]
    report_cluster(owner, "east", {"nodes": nodes})
    pods = {"name": "main", "count": 5, "requests": {"cpu": 1}}
    (row,) = submit_workloads(owner, read_submissions([{"name": "train", "pod_sets": [pods]}]))
    settle(owner.org)
    running = read_page(browser.get(EAST)).id("cluster-running")
    assert "train 5 n0, n1, n2 and 2 more" in running.text
    places = read_page(browser.get(f"/o/here/workloads/{row.uid}?tab=spec")).id("places")
    assert places.text.count("running") == 5
    # Three of its pods move, and use their nodes until they are released.
    report_cluster(owner, "west", {"nodes": [{"name": "w1", "allocatable": {"cpu": 3}}]})
    report_cluster(owner, "east", {"nodes": nodes[:2]})
    settle(owner.org)
    running = read_page(browser.get(EAST)).id("cluster-running")
    assert "train 2 3 more have to stop n0, n1, n2 and 2 more" in running.text
    places = read_page(browser.get(f"/o/here/workloads/{row.uid}?tab=spec")).id("places")
    assert "west w1 main 3 running" in places.text
    assert places.text.count("has to stop uses its node until it is released") == 3
    report_cluster(owner, "north", {"nodes": []})
    assert read_page(browser.get("/o/here/capacity/north")).id("cluster-running").text == (
        "Running here No workload has pods here."
    )


def test_a_deleted_cluster_has_a_page_while_pods_use_its_nodes(
    browser: Client, owner: Actor, settle: Callable[[Organization], int]
) -> None:
    apply_config(owner, "skyshift", "{kind: Scheduler, spec: {on_unplaceable: wait}}", "", 0)
    report_cluster(owner, "east", {"nodes": [{"name": "n1", "allocatable": {"cpu": 4}}]})
    (row,) = submit_workloads(owner, read_submissions([{"name": "train", "requests": {"cpu": 2}}]))
    settle(owner.org)
    delete_cluster(owner, "east")
    settle(owner.org)
    listed = read_page(browser.get(LIST))
    assert EAST in [each.attrs["href"] for each in listed.id("clusters-region").all("a")]
    page = read_page(browser.get(EAST))
    assert "This cluster was deleted. Pods still use its nodes" in page.text
    assert "train 1 n1" in page.id("cluster-running").text
    assert "n1 2 CPUs" in page.id("cluster-nodes").text
    finish_workloads(owner, [row.uid])
    settle(owner.org)
    assert browser.get(EAST).status_code == 404


def test_labels_of_the_config_override_reported_ones(
    browser: Client, owner: Actor, east: None
) -> None:
    text = (
        "{kind: Cluster, metadata: {name: east, labels: {region: us, tier: gold}}}\n---\n"
        "{kind: Cluster, metadata: {name: south}}\n"
    )
    apply_config(owner, "skyshift", text, "", 0)
    listed = read_page(browser.get(LIST))
    assert [row[0] for row in table(listed, "cluster-rows")] == ["east region=us tier=gold"]
    assert "nothing can be placed there: south." in listed.text
    facts = read_page(browser.get(EAST)).id("cluster-facts").text
    assert "region=us from the config tier=gold from the config" in facts


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ({"q": "GPU"}, ["gpu-1"]),
        ({"label": "zone=b"}, ["cpu-1"]),
        ({"label.zone": "a", "label.rack": "r1"}, ["gpu-1"]),
        ({"label.zone": "a", "label.rack": "r2"}, []),
        ({"label.0": "zero"}, ["cpu-1"]),
        ({"ready": "false"}, ["cpu-1"]),
        ({"ready": "true", "q": "cpu"}, []),
    ],
)
def test_nodes_are_filtered(
    browser: Client, east: None, query: dict[str, str], names: list[str]
) -> None:
    page = read_page(browser.get(EAST, query, follow=True))
    shown = [row[0] for row in table(page, "node-rows")] if names else []
    assert shown == names
    assert ("No node matches these filters" in page.text) is not names


def test_nodes_are_paged(browser: Client, owner: Actor) -> None:
    nodes = [{"name": f"n{i}"} for i in range(120)]
    report_cluster(owner, "east", {"nodes": nodes})
    seen, address = [], EAST
    while address:
        page = read_page(browser.get(address))
        seen.append([row[0] for row in table(page, "node-rows")])
        links = [each for each in page.all("a") if each.attrs.get("rel") == "next"]
        address = links[0].attrs["href"] if links else ""
    assert [len(names) for names in seen] == [50, 50, 20]
    assert [name for names in seen for name in names] == [node["name"] for node in nodes]
    with_filter = read_page(browser.get(f"{EAST}?q=n1"))
    assert len(table(with_filter, "node-rows")) == 31


def test_a_silent_cluster_says_so_on_the_page_that_polls(
    browser: Client, owner: Actor, east: None
) -> None:
    record_heartbeat(owner, "east")
    opened = read_page(browser.get(EAST))
    assert opened.id("cluster-notice").text == ""
    version = opened.id("live-poll").attrs["data-version"]
    assert browser.get(EAST, {"v": version}).status_code == 204
    Cluster.objects.update(last_seen=F("last_seen") - timedelta(hours=2))
    mark_silent_clusters()
    page = read_page(browser.get(EAST, {"v": version}))
    assert page.id("cluster-notice").text == (
        "The last heartbeat came 2 h ago . The cluster accepts no new pods until its next "
        "heartbeat or report. Its pods move to other clusters if they fit there and the scheduler "
        "chooses nodes; otherwise they stay."
    )
    assert [row[1] for row in table(read_page(browser.get(LIST)), "cluster-rows")] == ["Silent"]


def test_operators_delete_a_cluster(people: dict[str, Client], owner: Actor, east: None) -> None:
    for role, browser in people.items():
        may_delete = role in ("operator", "owner")
        assert ("Delete this cluster" in read_page(browser.get(EAST)).text) is may_delete
    assert people["editor"].post(EAST, {"do": "delete"}).status_code == 403
    assert people["operator"].post(EAST, {"do": "other"}).status_code == 400
    answer = people["operator"].post(EAST, {"do": "delete"}, follow=True)
    assert "The cluster east was deleted with its nodes." in read_page(answer).text
    assert people["operator"].post(EAST, {"do": "delete"}).status_code == 404
    assert not Cluster.objects.exists()


def test_clusters_and_nodes_are_exported(browser: Client, east: None) -> None:
    (cluster,) = map(json.loads, exported(browser, f"{LIST}?as=ndjson").splitlines())
    assert cluster.pop("last_seen").endswith("Z")
    assert cluster == {
        "cluster": "east",
        "manager": "kubernetes",
        "status": "ready",
        "labels": {"region": "eu"},
        "nodes": 2,
        "ready_nodes": 1,
        "offered": {"cpu": 80, "gpu": 8},
        "taken": {},
    }
    (row,) = csv.DictReader(io.StringIO(exported(browser, f"{EAST}?ready=false&as=csv")))
    assert row == {
        "cluster": "east",
        "node": "cpu-1",
        "ready": "false",
        "labels": '{"0": "zero", "zone": "b"}',
        "taints": "[]",
        "allocatable": '{"cpu": 16}',
        "taken": "{}",
    }


def test_the_page_shows_what_other_schedulers_use(browser: Client, owner: Actor) -> None:
    nodes = [
        {"name": "n1", "allocatable": {"cpu": 4}, "taken": {"cpu": 1}},
        {"name": "n2", "allocatable": {"cpu": 4}},
    ]
    report_cluster(owner, "east", {"nodes": nodes})
    page = read_page(browser.get(EAST))
    assert "Taken 1 CPU, by pods of other schedulers" in page.id("cluster-facts").text
    assert [row[4:] for row in table(page, "node-rows")] == [
        ["4 CPUs", "1 CPU", "—", "3 CPUs"],
        ["4 CPUs", "—", "—", "4 CPUs"],
    ]
    (_, cpu) = csv.DictReader(io.StringIO(exported(browser, f"{EAST}?as=csv")))
    assert (cpu["node"], cpu["taken"]) == ("n2", "{}")
    report_cluster(owner, "east", {"nodes": nodes[1:]})
    page = read_page(browser.get(EAST))
    assert "Taken" not in page.text
    assert [row[4:] for row in table(page, "node-rows")] == [["4 CPUs", "—", "4 CPUs"]]


def test_events_and_actions_lead_to_the_cluster(browser: Client, east: None) -> None:
    for path in ("events", "events/audit"):
        page = read_page(browser.get(f"/o/here/{path}"))
        assert EAST in [link.attrs.get("href") for link in page.all("a")]


def test_pages_of_another_organization_are_not_found(
    browser: Client, east: None, other_org: Any, client_for: Callable[[Actor], Client]
) -> None:
    report_cluster(Actor.from_command(other_org), "theirs", {"nodes": []})
    assert browser.get(f"{LIST}/theirs").status_code == 404
    assert "theirs" not in read_page(browser.get(LIST)).text


def test_the_editor_completes_labels_of_clusters_that_report(
    browser: Client, owner: Actor, east: None
) -> None:
    line = "  - { name: f, match_labels: { region: "
    text = f"kind: PlacementTemplate\nmetadata: {{ name: t }}\nspec:\n  filters:\n{line}"

    def offered(dialect: str) -> list[str]:
        body = {"dialect": dialect, "text": text, "line": 5, "column": len(line) + 1, "seq": 1}
        response = browser.post("/o/here/config/edit/complete", body, "application/json")
        return [each["label"] for each in response.json()["completions"]]

    assert offered("skyshift") == ["eu"]
    assert offered("native") == []
