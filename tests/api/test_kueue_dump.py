"""A Kueue dump of forty queues: apply it, and admit, preempt and explain workloads."""

from __future__ import annotations

from typing import Any

from console.dialects import dialects

DUMP = dialects()["kueue"].samples()["Forty queues, as kubectl prints them"]


def apply(api: Any, text: str, expected: int) -> int:
    """Apply a Kueue config and return its version number."""
    body = {"dialect": "kueue", "text": text, "message": "", "expected_version": expected}
    answer = api.post("config/versions", body)
    assert answer.status == 201, answer.body
    return answer.body["version"]


def training(name: str, namespace: str, gpus: int, priority: str = "") -> dict[str, Any]:
    """Return a training workload with *gpus* GPUs, 8 per worker."""
    labels = {"kueue.x-k8s.io/queue-name": "main"}
    if priority:
        labels["kueue.x-k8s.io/priority-class"] = priority
    requests = {"cpu": "64", "memory": "512Gi", "nvidia.com/gpu": 8}
    return {
        "name": name,
        "namespace": namespace,
        "tags": labels,
        "pod_sets": [{"name": "workers", "count": gpus // 8, "requests": requests}],
    }


def submit(api: Any, *workloads: dict[str, Any]) -> list[str]:
    """Submit workloads and return their ids."""
    answer = api.post("workloads", {"workloads": list(workloads)})
    assert answer.status == 202, answer.body["errors"]
    return answer.body["ids"]


def states(api: Any, ids: list[str]) -> list[tuple[str, str]]:
    """Return the state and reason of each workload."""
    found = [api.get(f"workloads/{uid}").body for uid in ids]
    return [(one["state"], one["reason"]["code"]) for one in found]


def test_workloads_of_a_dump_borrow_and_give_back(api, owner, settle):
    client = api(owner)
    assert apply(client, DUMP, 0) == 1
    # production-01 owns 16 H100 and lends 8 of them; language-01 owns 16 and may borrow.
    lost = submit(client, training("lost", "nowhere", 8))
    low = submit(client, *(training(f"low-{n}", "production-01", 8, "best-effort") for n in (1, 2)))
    settle(owner.org)
    assert states(client, lost) == [("pending", "local_queue_missing")]
    assert states(client, low) == [("admitted", "quota_reserved")] * 2

    high = submit(client, training("high", "production-01", 16, "production"))
    settle(owner.org)
    admitted = client.get(f"workloads/{high[0]}").body
    assert (admitted["state"], admitted["queue"]) == ("admitted", "production-01")
    assert [(part["name"], part["count"]) for part in admitted["assignment"]] == [("workers", 2)]
    assert {f for part in admitted["assignment"] for f in part["flavors"].values()} == {"h100"}


def test_a_workload_in_a_forbidden_namespace_waits_with_the_reason(api, owner, settle):
    client = api(owner)
    text = DUMP.replace("team: vision-01\n", "team: somebody-else\n", 2)
    apply(client, text, 0)
    ids = submit(client, training("barred", "vision-01", 8))
    settle(owner.org)
    assert states(client, ids) == [("pending", "namespace_not_allowed")]
    apply(client, DUMP, 1)
    settle(owner.org)
    assert states(client, ids) == [("admitted", "quota_reserved")]


def test_a_higher_priority_class_takes_back_what_its_queue_borrowed(api, owner, settle):
    client = api(owner)
    apply(client, DUMP, 0)
    # vision-01 owns 8 A100 and may borrow 16 more.
    low = submit(client, *(training(f"low-{n}", "vision-01", 8, "best-effort") for n in (1, 2, 3)))
    settle(owner.org)
    assert states(client, low) == [("admitted", "quota_reserved")] * 3

    high = submit(client, training("high", "vision-01", 8, "production"))
    settle(owner.org)
    assert states(client, high) == [("pending", "waiting_for_preempted")]
    assert states(client, low)[2] == ("preempting", "preempted_in_queue")
    why = client.get(f"workloads/{high[0]}/explanation")
    assert why.status == 200
    assert "low-3" in str(why.body)

    assert client.post(f"workloads/{low[2]}/release", {}).status == 202
    settle(owner.org)
    assert states(client, high) == [("admitted", "quota_reserved")]
