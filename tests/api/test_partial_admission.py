"""Partial admission: a pending workload's explanations are about its minimum number of pods."""

from __future__ import annotations

from typing import Any

CONFIG = """\
resource_flavors: [{name: f}]
resource_queues:
  - name: train
    resource_groups:
      - covered_resources: [cpu]
        flavors: [{name: f, resources: [{name: cpu, nominal_quota: 10}]}]
scheduling_rules: [{resource_queue: train}]
"""


def test_a_pending_workload_waits_for_its_minimum_pods(api: Any, owner: Any, settle: Any) -> None:
    client = api(owner)
    client.post("config/versions", {"text": CONFIG, "expected_version": 0})
    client.post("workloads", {"workloads": [{"name": "runs", "requests": {"cpu": 9}}]})
    settle(owner.org)
    pod_set = {"name": "workers", "count": 20, "min_count": 5, "requests": {"cpu": 1}}
    answer = client.post("workloads", {"workloads": [{"name": "partial", "pod_sets": [pod_set]}]})
    (uid,) = answer.body["ids"]
    settle(owner.org)
    found = client.get(f"workloads/{uid}").body
    assert found["reason"] == {
        "code": "waiting_for_quota",
        "message": "Waiting for quota: 4 CPUs short on f",
    }
    assert found["queue_position"] == 1
    explained = client.get(f"workloads/{uid}/explanation").body
    assert explained["reason"] == "waiting_for_quota"
    assert explained["headline"] == (
        "Waiting for quota in train: to start with 5 of 20 pods of workers it needs 5 CPUs on f, "
        "1 free now, 4 short; no workload may be preempted for it."
    )
    raises = [each for each in explained["changes"] if each["kind"] == "quota"]
    assert [(each["from"], each["to"]) for each in raises] == [(10, 14)]
    assert client.get("queues/train").body["reasons"] == {"waiting_for_quota": 1}
