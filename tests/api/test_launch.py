"""Launch data: node labels and tolerations of flavors in decisions and workloads."""

from __future__ import annotations

from typing import Any

import pytest

from console.orgs.models import Organization

CONFIG = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: spot}
spec:
  nodeLabels: {capacity: spot}
  nodeTaints: [{key: capacity, value: spot, effect: NoSchedule}]
  tolerations:
    - {key: capacity, value: spot, effect: NoSchedule}
    - {key: drain, operator: Exists, effect: NoExecute, tolerationSeconds: 300}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: a100}
spec:
  nodeLabels: {accelerator: a100}
  tolerations: [{key: drain, operator: Exists, effect: NoExecute, tolerationSeconds: 300}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: cq}
spec:
  namespaceSelector: {}
  resourceGroups:
    - coveredResources: [cpu]
      flavors: [{name: spot, resources: [{name: cpu, nominalQuota: 6}]}]
    - coveredResources: [nvidia.com/gpu]
      flavors: [{name: a100, resources: [{name: nvidia.com/gpu, nominalQuota: 8}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: default, namespace: ns}
spec: {clusterQueue: cq}
"""
SPOT = {
    "key": "capacity",
    "operator": "Equal",
    "value": "spot",
    "effect": "NoSchedule",
    "tolerationSeconds": None,
}
DRAIN = {
    "key": "drain",
    "operator": "Exists",
    "value": "",
    "effect": "NoExecute",
    "tolerationSeconds": 300,
}
WORK = {
    "name": "train",
    "namespace": "ns",
    "pod_sets": [
        {"name": "driver", "requests": {"cpu": 1}},
        {
            "name": "worker",
            "count": 8,
            "min_count": 2,
            "requests": {"cpu": 1, "nvidia.com/gpu": 1},
        },
    ],
}


@pytest.fixture
def client(api: Any, owner: Any) -> Any:
    """Return a client of an organization with the config above."""
    found = api(owner)
    body = {"text": CONFIG, "dialect": "kueue", "expected_version": 0}
    assert found.post("config/versions", body).status == 201
    return found


def submit(client: Any, settle: Any, org: Organization) -> str:
    (uid,) = client.post("workloads", {"workloads": [WORK]}).body["ids"]
    settle(org)
    return str(uid)


def test_a_decision_has_the_launch_data_of_each_pod_set(
    client: Any, settle: Any, owner: Any
) -> None:
    submit(client, settle, owner.org)
    (decision,) = client.get("decisions").body["results"]
    spot = {"flavor": "spot", "launch_config": None}
    gpu = {"flavor": "a100", "launch_config": None}
    assert decision["assignment"] == [
        {
            "name": "driver",
            "count": 1,
            "flavors": {"cpu": spot},
            "node_selector": {"capacity": "spot"},
            "tolerations": [SPOT, DRAIN],
        },
        {
            "name": "worker",
            # As many of the eight pods as there is quota for.
            "count": 5,
            "flavors": {"cpu": spot, "nvidia.com/gpu": gpu},
            "node_selector": {"capacity": "spot", "accelerator": "a100"},
            "tolerations": [SPOT, DRAIN],
        },
    ]


def test_a_workload_has_the_launch_data_of_its_admitting_version(
    client: Any, settle: Any, owner: Any
) -> None:
    uid = submit(client, settle, owner.org)
    text = CONFIG.replace("nodeLabels: {capacity: spot}", "nodeLabels: {capacity: other}")
    body = {"text": text, "dialect": "kueue", "expected_version": 1}
    assert client.post("config/versions", body).status == 201
    settle(owner.org)
    driver, worker = client.get(f"workloads/{uid}").body["assignment"]
    assert driver == {
        "name": "driver",
        "count": 1,
        "flavors": {"cpu": "spot"},
        "node_selector": {"capacity": "spot"},
        "tolerations": [SPOT, DRAIN],
    }
    assert worker["node_selector"] == {"capacity": "spot", "accelerator": "a100"}


def test_lists_omit_launch_data(client: Any, settle: Any, owner: Any) -> None:
    submit(client, settle, owner.org)
    (row,) = client.get("workloads").body["results"]
    assert row["assignment"] == [
        {
            "name": "driver",
            "count": 1,
            "flavors": {"cpu": "spot"},
            "node_selector": None,
            "tolerations": None,
        },
        {
            "name": "worker",
            "count": 5,
            "flavors": {"cpu": "spot", "nvidia.com/gpu": "a100"},
            "node_selector": None,
            "tolerations": None,
        },
    ]


def test_a_pending_workload_has_no_assignment(client: Any, settle: Any, owner: Any) -> None:
    submit(client, settle, owner.org)
    waits = submit(client, settle, owner.org)
    assert client.get(f"workloads/{waits}").body["assignment"] == []
