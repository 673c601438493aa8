"""Nodes of partitions, their pages, and their names."""

from __future__ import annotations

from console.capacity.services.report_cluster import report_cluster
from console.orgs.permissions import Actor
from tests.api.yunikorn.conftest import Rest


def test_a_node_has_what_it_offers_and_what_other_schedulers_use(
    scheduler: Rest, owner: Actor
) -> None:
    labels = {"kubernetes.io/arch": "amd64"}
    node = {"name": "n1", "allocatable": {"cpu": "4", "gpu": 2}, "labels": labels}
    report_cluster(owner, "east", {"nodes": [{**node, "taken": {"cpu": "1"}}]})
    [found] = scheduler.read("partition/default/nodes")
    assert found == {
        "nodeID": "n1",
        "schedulable": True,
        "isReserved": False,
        "hostName": "n1",
        "rackName": "/east",
        "attributes": {**labels, "ready": "true"},
        "capacity": {"vcore": 4000, "gpu": 2},
        "occupied": {"vcore": 1000},
        "available": {"vcore": 3000, "gpu": 2},
    }
    assert scheduler.read("partition/default/node/n1") == found
    assert scheduler.read("partition/gpu/nodes") == []


def test_nodes_of_the_same_name_are_told_apart_by_their_cluster(
    scheduler: Rest, owner: Actor
) -> None:
    report_cluster(owner, "east", {"nodes": [{"name": "n1"}, {"name": "n2", "ready": False}]})
    report_cluster(owner, "west", {"nodes": [{"name": "n1"}]})
    report_cluster(owner, "gone", {"state": "error", "nodes": [{"name": "n3"}]})
    found = scheduler.read("partition/default/nodes")
    assert [(each["nodeID"], each["schedulable"]) for each in found] == [
        ("east/n1", True),
        ("n2", False),
        ("west/n1", True),
    ]
    assert scheduler.read("partition/default/node/west/n1") == found[2]


def test_long_lists_have_the_address_of_the_rest(scheduler: Rest, owner: Actor) -> None:
    report_cluster(owner, "east", {"nodes": [{"name": f"n{number}"} for number in range(5)]})
    path, found = "partition/default/nodes?limit=2", []
    while path:
        answer = scheduler.get(path)
        found.append([each["nodeID"] for each in answer.body])
        link = answer.headers.get("Link", "")
        path = link.partition(">")[0].removeprefix("<http://testserver/ws/v1/")
        assert not link or link.endswith('; rel="next"')
    assert found == [["n0", "n1"], ["n2", "n3"], ["n4"]]
