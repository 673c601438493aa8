"""Queues: their settings in the config, what is used and requested, and created queues."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from console.capacity.services.report_cluster import report_cluster
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.workloads.models import PendingClass, QueueCount, Usage
from tests.api.yunikorn.conftest import Rest

NODES = {
    "nodes": [
        {"name": "n1", "allocatable": {"cpu": "6", "memory": "8G"}},
        {"name": "n2", "allocatable": {"cpu": "4"}, "labels": {"si/node-partition": "gpu"}},
    ]
}


def settings(queue: Any) -> Any:
    """Return what differs between queues of the config."""
    common = {"currentPriority": -(2**31), "prioritySorting": True, "isManaged": True}
    assert {name: queue[name] for name in common} == common
    return {name: value for name, value in queue.items() if name not in common}


def use(org: Organization, queue: str, running: int = 0, pending: int = 0, **used: int) -> None:
    """Store counts and usage of a queue, in thousandths."""
    QueueCount.objects.create(org=org, queue=queue, running=running, pending=pending)
    for resource, amount in used.items():
        Usage.objects.create(org=org, queue=queue, flavor="pool", resource=resource, used=amount)


def test_a_tree_has_the_settings_of_all_queues(scheduler: Rest) -> None:
    root = scheduler.read("partition/default/queues")
    team, spaces = root.pop("children")
    a, b = team.pop("children")
    assert settings(root) == {
        "queuename": "root",
        "status": "Active",
        "partition": "default",
        "isLeaf": False,
        "preemptionEnabled": True,
        "isPreemptionFence": False,
        "isPriorityFence": False,
        "childNames": ["root.team", "root.spaces"],
        "properties": {"preemption.delay": "90s", "priority.offset": "5"},
        "sortingPolicy": "fair",
        "preemptionDelay": "30s",
        "quotaPreemptionDelay": "0s",
        "priorityOffset": 5,
    }
    inherited = {"preemption.delay": "90s", "priority.offset": "0"}
    maximum = {"vcore": 4000, "memory": 4_000_000_000}
    assert settings(team) == {
        "queuename": "root.team",
        "status": "Active",
        "partition": "default",
        "isLeaf": False,
        "preemptionEnabled": True,
        "isPreemptionFence": False,
        "isPriorityFence": False,
        "parent": "root",
        "childNames": ["root.team.a", "root.team.b"],
        "guaranteedResource": {"vcore": 2000, "memory": 2_000_000_000},
        "maxResource": maximum,
        "headroom": maximum,
        "maxRunningApps": 10,
        "properties": inherited,
        "sortingPolicy": "fair",
        "preemptionDelay": "30s",
        "quotaPreemptionDelay": "0s",
    }
    assert settings(a) == {
        "queuename": "root.team.a",
        "status": "Active",
        "partition": "default",
        "isLeaf": True,
        "preemptionEnabled": True,
        "isPreemptionFence": True,
        "isPriorityFence": False,
        "parent": "root.team",
        "maxResource": {"vcore": 3000},
        "maxRunningApps": 6,
        "headroom": {"vcore": 3000, "memory": 4_000_000_000},
        "properties": {
            **inherited,
            "application.sort.policy": "fair",
            "preemption.policy": "fence",
        },
        "sortingPolicy": "fair",
        "preemptionDelay": "1m30s",
        "quotaPreemptionDelay": "0s",
    }
    assert (b["queuename"], b["sortingPolicy"], b["headroom"]) == ("root.team.b", "fifo", maximum)
    assert spaces["template"] == {
        "maxApplications": 3,
        "maxResource": {"vcore": 1000},
        "properties": {"application.sort.policy": "fair"},
    }


def test_other_partitions_have_their_own_trees(scheduler: Rest) -> None:
    root = scheduler.read("partition/gpu/queues")
    assert (root["queuename"], root["partition"], root["childNames"]) == ("root", "gpu", ["root.c"])


@pytest.mark.parametrize("name", ["root.Team", "ROOT.team"])
def test_one_queue_has_the_names_of_those_below_it(scheduler: Rest, name: str) -> None:
    found = scheduler.read(f"partition/DEFAULT/queue/{name}")
    assert "children" not in found
    whole = scheduler.read(f"partition/default/queue/{name}?subtree")
    assert [each["queuename"] for each in whole.pop("children")] == found["childNames"]
    assert whole == found


def test_usage_and_requests_add_up_from_leaves_to_the_root(
    scheduler: Rest, org: Organization, owner: Actor
) -> None:
    report_cluster(owner, "east", NODES)
    use(org, "root.team.a", running=2, pending=3, vcore=1000, memory=1_000_000_000_000)
    use(org, "root.team.b", running=1, vcore=500)
    use(org, "gpu:root.c", running=1, vcore=4000)
    for key, priority, count in (("x", 7, 2), ("y", 3, 1)):
        PendingClass.objects.create(
            org=org,
            key=key,
            queue="root.team.a",
            priority=priority,
            requests={"cpu": 250, "memory": 1000},
            reason="not_evaluated",
            count=count,
        )
    root = scheduler.read("partition/default/queues")
    team = root["children"][0]
    a, b = team["children"]
    used = {"vcore": 1500, "memory": 1_000_000_000}
    asked = {"vcore": 750, "memory": 3}
    assert [each["allocatedResource"] for each in (root, team, a, b)] == [
        used,
        used,
        {"vcore": 1000, "memory": 1_000_000_000},
        {"vcore": 500},
    ]
    assert [each.get("pendingResource") for each in (root, team, a, b)] == [
        asked,
        asked,
        asked,
        None,
    ]
    assert [each.get("runningApps") for each in (root, team, a, b)] == [3, 3, 2, 1]
    assert [each["currentPriority"] for each in (root, team, a, b)] == [12, 7, 7, -(2**31)]
    assert root["maxResource"] == {"vcore": 6000, "memory": 8_000_000_000}
    assert a["headroom"] == {"vcore": 2000, "memory": 3_000_000_000}
    assert [each.get("absUsedCapacity") for each in (root, team, a, b)] == [
        {"vcore": 25, "memory": 12},
        {"vcore": 37, "memory": 25},
        {"vcore": 33},
        None,
    ]
    other = scheduler.read("partition/gpu/queues")
    assert (other["maxResource"], other["headroom"]) == ({"vcore": 4000}, {"vcore": 0})


def test_created_queues_have_the_settings_of_their_template(
    scheduler: Rest, org: Organization
) -> None:
    use(org, "root.spaces.blue", running=1, vcore=500)
    found = scheduler.read("partition/default/queue/root.spaces.blue")
    assert (found["isManaged"], found["isLeaf"], found["status"]) == (False, True, "Active")
    assert (found["maxResource"], found["maxRunningApps"]) == ({"vcore": 1000}, 3)
    assert found["properties"] == {"application.sort.policy": "fair"}
    assert found["absUsedCapacity"] == {"vcore": 50}


def test_queues_that_the_config_lacks_drain_until_they_are_empty(
    scheduler: Rest, org: Organization
) -> None:
    use(org, "root.team.a.old", running=1, vcore=500)
    found = scheduler.read("partition/default/queue/root.team.a.old")
    assert (found["isManaged"], found["status"]) == (True, "Draining")
    assert scheduler.read("partition/default/queue/root.team")["allocatedResource"] == {
        "vcore": 500
    }


@pytest.mark.parametrize("name", ["team.a", "rooted.a", "ml", "default.root.team"])
def test_queues_of_other_config_languages_are_left_out(
    scheduler: Rest, org: Organization, name: str
) -> None:
    use(org, name, running=1, pending=1, gpu=1000)
    root = scheduler.read("partition/default/queues")
    assert root["childNames"] == ["root.team", "root.spaces"]
    assert "allocatedResource" not in root
    assert scheduler.read("partitions")[0]["applications"] == {"total": 0}
    assert scheduler.read("partition/default/usage/users")[0]["userName"] == "ann"


def test_partitions_have_capacity_usage_and_applications(
    scheduler: Rest, org: Organization, owner: Actor
) -> None:
    report_cluster(owner, "east", NODES)
    use(org, "root.team.a", running=2, pending=3, vcore=1500)
    default, gpu = scheduler.read("partitions")
    changed = default.pop("lastStateTransitionTime")
    assert gpu.pop("lastStateTransitionTime") == changed > 1_600_000_000 * 10**9
    assert default == {
        "clusterId": "here",
        "name": "default",
        "capacity": {
            "capacity": {"vcore": 6000, "memory": 8_000_000_000},
            "usedCapacity": {"vcore": 1500},
            "utilization": {"vcore": 25},
        },
        "nodeSortingPolicy": {"type": "binpacking", "resourceWeights": {"vcore": 1, "memory": 1}},
        "preemptionEnabled": False,
        "quotaPreemptionEnabled": True,
        "applications": {"Running": 2, "Accepted": 3, "total": 5},
        "state": "Active",
        "totalNodes": 1,
        "totalContainers": 2,
    }
    assert gpu == {
        "clusterId": "here",
        "name": "gpu",
        "capacity": {"capacity": {"vcore": 4000}},
        "nodeSortingPolicy": {"type": "fair", "resourceWeights": {"vcore": 1, "memory": 1}},
        "preemptionEnabled": True,
        "quotaPreemptionEnabled": False,
        "applications": {"total": 0},
        "state": "Active",
        "totalNodes": 1,
    }


def test_clusters_are_partitions_of_the_organization(scheduler: Rest) -> None:
    for each, name in zip(scheduler.read("clusters"), ("default", "gpu"), strict=True):
        assert each.pop("startTime") > 1_600_000_000 * 10**9
        assert each == {
            "rmBuildInformation": [{"buildVersion": "1", "rmId": "here"}],
            "partition": name,
            "clusterName": "here",
        }


def test_placement_rules_include_those_that_are_not_written(
    scheduler: Rest, rest: Rest, activate: Callable[..., Any]
) -> None:
    recovery = {"name": "recovery", "parameters": {"queue": "root.@recovery@"}}
    assert scheduler.read("partition/gpu/placementrules") == [
        {"name": "provided", "parameters": {"create": "false"}},
        recovery,
    ]
    assert scheduler.read("partition/default/placementrules") == [
        {
            "name": "provided",
            "parameters": {"create": "false"},
            "filter": {"type": "deny", "userExp": "^svc-.*$"},
        },
        {
            "name": "tag",
            "parameters": {"tagName": "namespace", "create": "true"},
            "filter": {"type": "allow", "userList": ["ann", "bob"], "groupList": ["dev"]},
            "parentRule": {
                "name": "fixed",
                "parameters": {"queue": "root.spaces", "create": "true", "qualified": "true"},
            },
        },
        recovery,
    ]
