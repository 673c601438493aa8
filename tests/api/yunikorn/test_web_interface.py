"""The requests of YuniKorn's web interface, and the fields of the answers that it shows."""

from __future__ import annotations

from typing import Any

from tests.api.yunikorn.conftest import Busy


def test_all_requests_of_the_web_interface_are_answered(busy: Busy) -> None:
    """The addresses are those of its service, in the order in which its pages ask."""
    read = busy.rest.read
    # The dashboard.
    clusters = read("clusters")
    assert {"partition", "clusterName", "startTime"} <= clusters[0].keys()
    partitions = read("partitions")
    shown = {"name", "capacity", "nodeSortingPolicy", "applications", "state", "totalNodes"}
    assert all(shown <= each.keys() for each in partitions)
    assert partitions[0]["applications"]["Running"] == 3
    read("history/apps")
    assert int(read("history/containers")[0]["totalContainers"]) == 6
    for partition in read("scheduler/node-utilizations"):
        for each in partition["utilizations"]:
            assert len(each["utilization"]) == 10
    assert read("scheduler/healthcheck")["Healthy"] is True
    # The pages of each partition.
    shown_pods = set()
    for partition in (each["name"] for each in partitions):
        for queue in leaves_of(read(f"partition/{partition}/queues")):
            for application in read(f"partition/{partition}/queue/{queue}/applications"):
                uid = application["applicationID"]
                assert read(f"partition/{partition}/application/{uid}")["queueName"] == queue
                shown_pods |= {pod_of(each) for each in application.get("allocations", ())}
        for node in read(f"partition/{partition}/nodes"):
            assert {"memory", "vcore"} & node["capacity"].keys()
            assert {pod_of(each) for each in node["allocations"]} <= shown_pods
    assert shown_pods == {"default/one", "default/wide-w", "blue/space", "default/other"}


def leaves_of(queue: dict[str, Any]) -> list[str]:
    """Return the queues of which the interface lists applications."""
    assert {"queuename", "status", "isLeaf", "isManaged", "partition"} <= queue.keys()
    below = [name for each in queue.get("children", ()) for name in leaves_of(each)]
    return [queue["queuename"], *below] if queue["isLeaf"] else below


def pod_of(allocation: dict[str, Any]) -> str:
    """Return the name under which the interface shows an allocation."""
    tags = allocation["allocationTags"]
    namespace, name = tags["kubernetes.io/meta/namespace"], tags["kubernetes.io/meta/podName"]
    return f"{namespace}/{name}"
