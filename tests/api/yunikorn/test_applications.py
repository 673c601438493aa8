"""Applications: their pods, states and reasons, in lists and one by one."""

from __future__ import annotations

from typing import Any

import pytest

from console.workloads.models import State, Workload
from tests.api.conftest import Api
from tests.api.yunikorn.conftest import Busy
from tests.conftest import settled, with_token

DEFAULT = "partition/default"
QUEUE = f"{DEFAULT}/queue/root.team.a"


def timeless(application: dict[str, Any]) -> dict[str, Any]:
    """Return an application without its times, which are checked for their order."""
    log = [each["time"] for each in application.pop("stateLog")]
    times = [application.pop("submissionTime"), application.pop("startTime", 0)]
    assert sorted(log) == log
    assert log[0] == times[0] > 1_600_000_000 * 10**9
    assert times[1] in (0, *log)
    for pods in (*application.get("requests", ()), *application.get("allocations", ())):
        assert pods.pop("requestTime") == times[0]
        assert pods.pop("allocationDelay", 0) == pods.pop("allocationTime", times[0]) - times[0]
    return application


def test_an_application_has_its_pods_and_those_that_it_asks_for(busy: Busy) -> None:
    uid = busy.ids["wide"]
    tags = {"kubernetes.io/meta/namespace": "default", "kubernetes.io/meta/podName": "wide-w"}
    found = busy.rest.read(f"{DEFAULT}/application/{uid}")
    assert timeless(found) == {
        "applicationID": uid,
        "partition": "default",
        "queueName": "root.team.b",
        "usedResource": {"vcore": 3000},
        "pendingResource": {"vcore": 2000},
        "requests": [
            {
                "allocationKey": f"{uid}/w",
                "pendingCount": 2,
                "allocationTags": tags,
                "resource": {"vcore": 1000},
                "priority": "0",
                "applicationId": uid,
                "schedulingAttempted": True,
            }
        ],
        "allocations": [
            {
                "allocationKey": f"{uid}/w/n1",
                "pods": 3,
                "allocationTags": tags,
                "resource": {"vcore": 3000},
                "priority": "0",
                "nodeId": "n1",
                "applicationId": uid,
            }
        ],
        "applicationState": "Running",
        "user": "bob",
        "groups": ["ops"],
    }


def test_what_waits_has_the_message_of_yunikorn(busy: Busy) -> None:
    uid = busy.ids["waits"]
    found = busy.rest.read(f"{QUEUE}/application/{uid}")
    [listed] = [each for each in busy.rest.read(f"{QUEUE}/applications") if each == found]
    assert timeless(listed) == {
        "applicationID": uid,
        "partition": "default",
        "queueName": "root.team.a",
        "pendingResource": {"vcore": 2000},
        "requests": [
            {
                "allocationKey": f"{uid}/main",
                "pendingCount": 1,
                "allocationTags": {
                    "kubernetes.io/meta/namespace": "default",
                    "kubernetes.io/meta/podName": "waits",
                },
                "resource": {"vcore": 2000},
                "priority": "0",
                "applicationId": uid,
                "allocationLog": [{"message": "Not enough queue quota", "count": 1}],
                "schedulingAttempted": True,
            }
        ],
        "applicationState": "Accepted",
        "user": "cid",
    }


def test_a_rejected_application_has_the_message_of_yunikorn(busy: Busy) -> None:
    uid = busy.ids["lost"]
    found = busy.rest.read(f"{DEFAULT}/application/{uid}")
    ended = found.pop("finishedTime")
    assert [each["applicationState"] for each in found["stateLog"]] == ["New", "Rejected"]
    assert found["stateLog"][1]["time"] == ended
    assert timeless(found) == {
        "applicationID": uid,
        "partition": "default",
        "queueName": "",
        "applicationState": "Rejected",
        "user": "eve",
        "rejectedMessage": (
            f"failed to place application {uid}: application rejected: no placement rule matched"
        ),
    }


@pytest.mark.parametrize(
    ("path", "names"),
    [
        (f"{QUEUE}/applications", ["waits", "one"]),
        (f"{QUEUE}/applications/active", ["waits", "one"]),
        (f"{QUEUE}/applications/Active?status=Running", ["one"]),
        (f"{QUEUE}/applications/active?status=completing", []),
        (f"{DEFAULT}/queue/root.spaces.blue/applications", ["space"]),
        (f"{DEFAULT}/queue/root.team/applications", []),
        (f"{DEFAULT}/applications/active", ["waits", "space", "wide", "one"]),
        (f"{DEFAULT}/applications/active?status=accepted", ["waits"]),
        (f"{DEFAULT}/applications/active?status=new", []),
        (f"{DEFAULT}/applications/rejected", ["lost"]),
        (f"{DEFAULT}/applications/completed", []),
        ("partition/gpu/applications/active", ["other"]),
        ("partition/gpu/applications/rejected", []),
    ],
)
def test_lists_have_the_applications_of_a_state(busy: Busy, path: str, names: list[str]) -> None:
    assert busy.names(path) == names


def test_pods_have_the_node_that_they_name(busy: Busy, org: Any, owner: Any) -> None:
    def naming(node: str) -> dict[str, Any]:
        name = {"key": "metadata.name", "operator": "In", "values": [node]}
        pod_set = {"requests": {"cpu": 0.5}, "affinity": [{"matchFields": [name]}]}
        return {
            "name": node,
            "user": "ann",
            "tags": {"queue": "root.team.b"},
            "pod_sets": [pod_set],
        }

    client = Api(with_token(owner), org.slug)
    client.post(f"workloads/{busy.ids['wide']}/finish")
    workloads = {"workloads": [naming("n1"), naming("n9")]}
    running, pending = client.post("workloads", workloads).body["ids"]
    settled(org)
    (allocation,) = busy.rest.read(f"{DEFAULT}/application/{running}")["allocations"]
    assert (allocation["nodeId"], allocation["requiredNodeId"]) == ("n1", "n1")
    (ask,) = busy.rest.read(f"{DEFAULT}/application/{pending}")["requests"]
    assert ask["requiredNodeId"] == "n9"


def test_ended_applications_are_listed_by_how_they_ended(busy: Busy, org: Any, owner: Any) -> None:
    client = Api(with_token(owner), org.slug)
    client.post(f"workloads/{busy.ids['one']}/finish")
    client.post(f"workloads/{busy.ids['waits']}/withdraw")
    settled(org)
    found = busy.rest.read(f"{DEFAULT}/applications/completed")
    states = {each["applicationID"]: each["applicationState"] for each in found}
    assert states == {busy.ids["one"]: "Completed", busy.ids["waits"]: "Failed"}
    assert all("usedResource" not in each and "pendingResource" not in each for each in found)


def test_long_lists_have_the_address_of_the_rest(busy: Busy) -> None:
    first = busy.rest.get(f"{DEFAULT}/applications/active?limit=2")
    assert [each["applicationID"] for each in first.body] == [busy.ids["waits"]]
    link = first.headers["Link"].partition(">")[0].removeprefix("<http://testserver/ws/v1/")
    assert busy.names(link) == ["space", "wide"]


@pytest.mark.parametrize(
    ("path", "status", "message"),
    [
        (f"{DEFAULT}/application/none", 404, "Application not found"),
        (f"{DEFAULT}/queue/root.none/application/none", 404, "Queue not found"),
        ("partition/none/application/none", 404, "Partition not found"),
        (
            f"{DEFAULT}/applications/running",
            400,
            "Only following application states are allowed: active, rejected, completed",
        ),
        (
            f"{QUEUE}/applications/rejected",
            400,
            "Only following application states are allowed: active",
        ),
        (
            f"{DEFAULT}/applications/active?status=done",
            400,
            (
                "Only following active statuses are allowed: new, accepted, running, completing, "
                "failing, resuming"
            ),
        ),
    ],
)
def test_what_does_not_exist_is_told(busy: Busy, path: str, status: int, message: str) -> None:
    assert busy.rest.get(path).error[:2] == (status, message)


def test_an_application_is_only_in_its_queue_and_partition(busy: Busy) -> None:
    uid = busy.ids["one"]
    for path in (f"{DEFAULT}/queue/root.team.b", "partition/gpu"):
        assert busy.rest.get(f"{path}/application/{uid}").error[:2] == (
            404,
            "Application not found",
        )


def test_nodes_have_the_pods_on_them(busy: Busy) -> None:
    [node] = busy.rest.read(f"{DEFAULT}/nodes")
    assert (node["allocated"], node["available"], node["utilized"]) == (
        {"vcore": 4500, "memory": 1_000_000_000},
        {"vcore": 1500, "memory": 7_000_000_000},
        {"vcore": 75, "memory": 12},
    )
    pods = {each["applicationId"]: each["pods"] for each in node["allocations"]}
    assert pods == {busy.ids["one"]: 1, busy.ids["wide"]: 3, busy.ids["space"]: 1}


def test_queues_ask_for_the_pods_that_running_applications_miss(busy: Busy) -> None:
    root = busy.rest.read(f"{DEFAULT}/queues")
    team = root["children"][0]
    found = {each["queuename"]: each["pendingResource"] for each in (root, team, *team["children"])}
    assert found == {
        "root": {"vcore": 4000},
        "root.team": {"vcore": 4000},
        "root.team.a": {"vcore": 2000},
        "root.team.b": {"vcore": 2000},
    }


def test_what_has_to_stop_is_preempting_in_its_queue(busy: Busy) -> None:
    uid = busy.ids["one"]
    Workload.objects.filter(uid=uid).update(state=State.PREEMPTING)
    found = busy.rest.read(f"{DEFAULT}/queue/root.team.a")
    assert found["preemptingResource"] == found["allocatedResource"]
    application = busy.rest.read(f"{DEFAULT}/application/{uid}")
    assert application["applicationState"] == "Failing"
    assert [each["preempted"] for each in application["allocations"]] == [True]
    assert busy.names(f"{DEFAULT}/applications/active?status=failing") == ["one"]


def test_queues_have_what_the_engine_counts(busy: Busy) -> None:
    found = busy.rest.read(f"{DEFAULT}/queue/root.team.a")
    assert (found["allocatedResource"], found["pendingResource"], found["runningApps"]) == (
        {"vcore": 1000, "memory": 1_000_000_000},
        {"vcore": 2000},
        1,
    )
    assert found["currentPriority"] == 0
