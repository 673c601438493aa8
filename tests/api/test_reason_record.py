"""Explanations state since when their reason holds, and how many decisions have had it."""

from __future__ import annotations

from typing import Any

from console.workloads.models import Decision

CONFIG = """\
resource_flavors: [{name: f}]
resource_queues:
  - name: train
    preemption: {within_resource_queue: lower_priority}
    resource_groups:
      - covered_resources: [cpu]
        flavors: [{name: f, resources: [{name: cpu, nominal_quota: 10}]}]
scheduling_rules:
  - {resource_queue: train, priority_policy: {default: 0, min: 0, max: 9, on_violation: reject}}
"""


def test_a_reason_that_returns_is_counted(api: Any, owner: Any, settle: Any) -> None:
    client = api(owner)

    def submit(name: str, cpu: int, **fields: Any) -> str:
        workload = {"name": name, "requests": {"cpu": cpu}, **fields}
        answer = client.post("workloads", {"workloads": [workload]})
        settle(owner.org)
        return str(answer.body["ids"][0])

    answer = client.post("config/versions", {"text": CONFIG, "expected_version": 0})
    assert answer.status == 201, answer.body
    first = submit("first", 9)
    waits = submit("waits", 5)

    def record() -> tuple[str, str | None, int]:
        found = client.get(f"workloads/{waits}/explanation").body
        return found["reason"], found["since"], found["count"]

    def decided() -> list[str]:
        rows = Decision.objects.filter(workload__uid=waits).order_by("pk")
        return [each.created_at.isoformat().replace("+00:00", "Z") for each in rows]

    assert record() == ("waiting_for_quota", decided()[0], 1)
    client.post(f"workloads/{first}/finish")
    settle(owner.org)
    assert record() == ("quota_reserved", decided()[1], 1)
    submit("urgent", 9, priority=9)
    client.post(f"workloads/{waits}/release")
    settle(owner.org)
    assert record() == ("waiting_for_quota", decided()[-1], 2)


def test_a_reason_that_was_not_decided_yet_has_no_time(api: Any, owner: Any) -> None:
    client = api(owner)
    (uid,) = client.post("workloads", {"workloads": [{"name": "early"}]}).body["ids"]
    found = client.get(f"workloads/{uid}/explanation").body
    assert (found["reason"], found["since"], found["count"]) == ("not_evaluated", None, 0)
