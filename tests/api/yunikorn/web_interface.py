"""The requests that YuniKorn's web interface sends, in the order in which its pages send them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

#: Takes a path below ``/ws/v1`` and returns the decoded answer.
Read = Callable[[str], Any]


def show_dashboard(read: Read) -> list[dict[str, Any]]:
    """Send the requests of the dashboard and return the partitions."""
    for cluster in read("clusters"):
        assert {"partition", "clusterName", "startTime"} <= cluster.keys()
    partitions: list[dict[str, Any]] = read("partitions")
    shown = {"name", "capacity", "nodeSortingPolicy", "applications", "state", "totalNodes"}
    assert all(shown <= each.keys() for each in partitions)
    for each in read("history/apps"):
        assert int(each["totalApplications"]) >= 0
    assert int(read("history/containers")[-1]["totalContainers"]) >= 0
    for partition in read("scheduler/node-utilizations"):
        for each in partition["utilizations"]:
            assert len(each["utilization"]) == 10
    assert read("scheduler/healthcheck").keys() == {"Healthy", "HealthChecks"}
    return partitions


def show_partition(read: Read, partition: str) -> dict[str, str]:
    """
    Send the requests of the pages about one partition.

    Return the applications of all leaf queues with their states.
    """
    pods: set[str] = set()
    states: dict[str, str] = {}
    for queue in _leaves(read(f"partition/{partition}/queues")):
        for application in read(f"partition/{partition}/queue/{queue}/applications"):
            uid = application["applicationID"]
            assert read(f"partition/{partition}/application/{uid}")["queueName"] == queue
            pods |= {_pod(each) for each in application.get("allocations", ())}
            states[uid] = application["applicationState"]
    on_nodes: set[str] = set()
    for node in read(f"partition/{partition}/nodes"):
        assert {"memory", "vcore"} & node["capacity"].keys()
        on_nodes |= {_pod(each) for each in node.get("allocations", ())}
    assert on_nodes == pods
    return states


def _leaves(queue: dict[str, Any]) -> list[str]:
    """Return the queues of which the interface lists applications."""
    assert {"queuename", "status", "isLeaf", "isManaged", "partition"} <= queue.keys()
    below = [name for each in queue.get("children", ()) for name in _leaves(each)]
    return [queue["queuename"], *below] if queue["isLeaf"] else below


def _pod(allocation: dict[str, Any]) -> str:
    """Return the name under which the interface shows an allocation."""
    tags = allocation["allocationTags"]
    namespace, name = tags["kubernetes.io/meta/namespace"], tags["kubernetes.io/meta/podName"]
    return f"{namespace}/{name}"
