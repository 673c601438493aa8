"""Negative priorities: accepted with priority classes, refused in configs with rules."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.documents import OPEN

CONFIG = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: f}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: cq}
spec:
  namespaceSelector: {}
  preemption: {withinClusterQueue: LowerPriority}
  resourceGroups:
    - coveredResources: [cpu]
      flavors: [{name: f, resources: [{name: cpu, nominalQuota: 4}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: default, namespace: ns}
spec: {clusterQueue: cq}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: WorkloadPriorityClass
metadata: {name: low}
value: -100
"""
LEAST = -(2**31)
CLASS = "kueue.x-k8s.io/priority-class"


def work(name: str, cpu: int, priority: int | None = None, **more: Any) -> dict[str, Any]:
    return {"name": name, "namespace": "ns", "requests": {"cpu": cpu}, "priority": priority, **more}


@pytest.fixture
def client(api: Any, owner: Any) -> Any:
    """Return a client of an organization with the config above."""
    found = api(owner)
    body = {"text": CONFIG, "dialect": "kueue", "expected_version": 0}
    assert found.post("config/versions", body).status == 201
    return found


def submit(client: Any, *workloads: dict[str, Any]) -> list[str]:
    answer = client.post("workloads", {"workloads": list(workloads)})
    assert answer.status == 202, answer.body
    ids: list[str] = answer.body["ids"]
    return ids


def test_they_order_pending_workloads_on_every_page(client: Any, settle: Any, owner: Any) -> None:
    submit(client, work("runs", 4, 0))
    settle(owner.org)
    submit(
        client,
        work("least", 4, LEAST),
        work("minus-5", 4, -5),
        work("by-class", 4, tags={CLASS: "low"}),
        work("minus-1", 4, -1),
        work("zero", 4),
    )
    settle(owner.org)
    seen, cursor = [], None
    while cursor is not None or not seen:
        more = {} if cursor is None else {"cursor": cursor}
        page = client.get("queues/cq/pending", limit=2, **more).body
        seen += [
            (row["name"], row["priority"]["effective"], row["queue_position"])
            for row in page["results"]
        ]
        cursor = page["next"]
    assert seen == [
        ("zero", 0, 1),
        ("minus-1", -1, 2),
        ("minus-5", -5, 3),
        ("by-class", -100, 4),
        ("least", LEAST, 5),
    ]


def test_a_lower_negative_priority_is_preempted(client: Any, settle: Any, owner: Any) -> None:
    (runs,) = submit(client, work("runs", 4, -7))
    settle(owner.org)
    (asks,) = submit(client, work("asks", 4, -6))
    settle(owner.org)
    assert client.get(f"workloads/{runs}").body["state"] == "preempting"
    told = client.get(f"workloads/{asks}/explanation").body
    assert told["sentences"][5] == "Priority -6, as requested."
    assert told["headline"] == ("Starting soon in cq: 1 workload is being preempted to free quota.")
    rows = client.get("decisions").body["results"]
    assert [(row["outcome"], row["priority"]) for row in rows] == [
        ("admitted", -7),
        ("preempted", -7),
        ("pending", -6),
    ]


def test_below_32_bits_is_out_of_range(client: Any) -> None:
    answer = client.post("workloads", {"workloads": [work("w", 1, LEAST - 1)]})
    assert (answer.status, answer.body["errors"]) == (
        400,
        [
            {
                "path": "workloads[0].priority",
                "code": "out_of_range",
                "message": "This has to be from -2,147,483,648 to 9,007,199,254,740,991.",
            }
        ],
    )


def test_the_tester_and_expectations_take_them(client: Any) -> None:
    asked = {"namespace": "ns", "priority": -5, "requests": {"cpu": 1}}
    assert client.post("config/route", asked).body["priority"] == -5
    assert client.post("config/route", {**asked, "version": 1}).body["priority"] == -5
    text = {"text": CONFIG, "dialect": "kueue"}
    assert client.post("config/route", {**asked, **text}).body["priority"] == -5
    expected = {"name": "low", "queue": "cq", "effective_priority": -5, **asked}
    answer = client.post("config/expectations", {"expectations": [expected]})
    assert (answer.status, answer.body["results"][0]["priority"]) == (200, -5)
    assert client.post("config/expectations/check", {}).body["ok"] is True


def test_a_config_with_rules_refuses_them_everywhere(api: Any, owner: Any) -> None:
    client = api(owner)
    # Before the first config, too.
    assert client.post("workloads", {"workloads": [work("w", 1, -1)]}).status == 400
    assert client.post("config/versions", {"text": OPEN, "expected_version": 0}).status == 201
    refused = {
        "workloads": {"workloads": [work("w", 1, -1), work("x", 1, -2)]},
        "config/route": {"priority": -1},
        "config/expectations": {
            "expectations": [{"name": "low", "queue": None, "priority": -1}],
        },
    }
    found = {
        path: [(each["path"], each["code"]) for each in client.post(path, body).body["errors"]]
        for path, body in refused.items()
    }
    assert found == {
        "workloads": [
            ("workloads[0].priority", "out_of_range"),
            ("workloads[1].priority", "out_of_range"),
        ],
        "config/route": [("priority", "out_of_range")],
        "config/expectations": [("expectations[0].priority", "out_of_range")],
    }


def test_a_request_checks_the_allowed_range_once(
    client: Any, django_assert_max_num_queries: Any
) -> None:
    one = [work("w", 1, -1)]
    with django_assert_max_num_queries(60) as few:
        client.post("workloads", {"workloads": one})
    with django_assert_max_num_queries(len(few)):
        client.post("workloads", {"workloads": one * 50})
