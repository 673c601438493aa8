"""The three documents of the native reference: apply, submit, and read the outcome."""

from __future__ import annotations

import re

from tests.api import documents

STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")


def apply(api, text: str) -> None:
    version = api.get().body["config_version"]
    assert (
        api.post(
            "config/versions", {"text": text, "message": "as written", "expected_version": version}
        ).status
        == 201
    )


def submit(api, *workloads: dict) -> list[str]:
    answer = api.post("workloads", {"workloads": list(workloads)})
    assert answer.status == 202
    return answer.body["ids"]


def m5(name: str) -> dict:
    return {
        "name": name,
        "instance_type": "m5.2xlarge",
        "requests": {"cpu": 8, "memory_gb": 32},
    }


def states(api, ids: list[str]) -> list[tuple[str, str]]:
    found = [api.get(f"workloads/{uid}").body for uid in ids]
    return [(one["state"], one["reason"]["code"]) for one in found]


def test_a_cap_on_an_instance_type(api, owner, settle):
    client = api(owner)
    apply(client, documents.CAP)
    ids = submit(client, *(m5(f"m5-{i}") for i in range(4)), {"name": "other"})
    settle(owner.org)
    assert states(client, ids) == [
        ("admitted", "quota_reserved"),
        ("admitted", "quota_reserved"),
        ("admitted", "quota_reserved"),
        ("pending", "waiting_for_quota"),
        ("admitted", "passthrough"),
    ]

    waiting = client.get(f"workloads/{ids[3]}").body
    assert STAMP.fullmatch(waiting.pop("submitted_at"))
    assert waiting == {
        "id": ids[3],
        "name": "m5-3",
        "type": "job",
        "labels": {"instance-type": "m5.2xlarge", "workload-type": "job"},
        "priority": {"requested": None, "effective": 50},
        "requests": {"cpu": 8, "memory_gb": 32},
        "pod_sets": [
            {
                "name": "main",
                "count": 1,
                "min_count": None,
                "requests": {"cpu": 8, "memory_gb": 32},
                "node_selector": {},
                "affinity": [],
                "tolerations": [],
                "group": None,
            }
        ],
        "finished_pods": {},
        "state": "pending",
        "queue": "q-m5-2xlarge-cap3",
        "queue_position": 1,
        "flavors": {},
        "assignment": [],
        "reason": {
            "code": "waiting_for_quota",
            "message": "Waiting for quota: 8 CPUs and 32 memory_gb short on m5-2xlarge",
        },
        "preemptor": None,
        "config_version": 1,
        "rule_index": 0,
        "admitted_at": None,
        "ended_at": None,
        "preemptions": 0,
        "user": "",
        "groups": [],
        "project": "",
        "namespace": "",
        "preemptible": None,
        "placement": None,
        "active": True,
        "max_run_seconds": None,
        "run_ends_at": None,
    }
    explanation = client.get(f"workloads/{ids[3]}/explanation").body
    flavors = next(stage for stage in explanation["stages"] if stage["stage"] == "flavors")
    missing = [s["numbers"]["missing"] for s in flavors["sentences"] if "missing" in s["numbers"]]
    assert missing == [8, 32]
    assert explanation["config_version"] == 1

    queue = client.get("queues/q-m5-2xlarge-cap3").body
    assert queue.pop("oldest_pending") is not None
    assert queue.pop("range")["line"] == 5
    # Three of the four were admitted; their waits depend on the machine.
    assert queue["waits"].keys() == {"count", "p50", "p95"}
    assert queue.pop("waits")["count"] == 3
    usage = {"flavor": "m5-2xlarge", "borrowed": 0, "over": 0, "lent": 0, "available": 0}
    usage["cannot_run_demand"] = 0
    assert queue == {
        "pressure": {"resource": "cpu", "wanted": 8, "free": 0},
        "reasons": {"waiting_for_quota": 1},
        "name": "q-m5-2xlarge-cap3",
        "cohort": None,
        "passthrough": False,
        "strategy": "best_effort_fifo",
        "stop": "none",
        "draining": False,
        "successor": None,
        "held": None,
        "counts": {"running": 3, "pending": 1, "cannot_run": 0},
        "rules": [0],
        "usage": [
            {**usage, "resource": "cpu", "nominal": 24, "used": 24, "limit": 24, "demand": 8},
            {
                **usage,
                "resource": "memory_gb",
                "nominal": 96,
                "used": 96,
                "limit": 96,
                "demand": 32,
            },
        ],
    }

    assert client.post(f"workloads/{ids[0]}/finish").status == 202
    settle(owner.org)
    assert states(client, ids) == [
        ("finished", "quota_reserved"),
        ("admitted", "quota_reserved"),
        ("admitted", "quota_reserved"),
        ("admitted", "quota_reserved"),
        ("admitted", "passthrough"),
    ]
    assert client.get().body["counts"] == {
        "pending": 0,
        "admitted": 4,
        "preempting": 0,
        "finished": 1,
        "rejected": 0,
        "withdrawn": 0,
    }


def test_research_gpus_with_two_flavors_and_preemption(api, owner, settle):
    client = api(owner)
    apply(client, documents.RESEARCH)
    tags = {"team": "research"}
    spot = {"tags": tags, "accelerator_type": "A100", "market_type": "SPOT"}
    pool, first = submit(
        client,
        {"name": "pool", "tags": tags, "requests": {"gpu": 16}},
        {"name": "spot", **spot, "requests": {"gpu": 64}, "priority": 40},
    )
    settle(owner.org)
    (urgent,) = submit(client, {"name": "urgent", **spot, "requests": {"gpu": 64}, "priority": 90})
    settle(owner.org)
    assert states(client, [pool, first, urgent]) == [
        ("admitted", "quota_reserved"),
        ("preempting", "preempted_in_queue"),
        ("pending", "waiting_for_preempted"),
    ]
    told = client.get("decisions").body["results"]
    assert [
        (d["workload"]["id"], d["outcome"], d["victims"], d["preemptor"]) for d in told[2:]
    ] == [
        (first, "preempted", [], urgent),
        (urgent, "pending", [first], None),
    ]
    assert client.post(f"workloads/{first}/release").status == 202
    settle(owner.org)
    assert states(client, [first, urgent]) == [
        ("pending", "waiting_for_quota"),
        ("admitted", "quota_reserved"),
    ]
    too_much = {"name": "high", **spot, "requests": {"gpu": 1}, "priority": 101}
    (fallen,) = submit(client, too_much)
    settle(owner.org)
    one = client.get(f"workloads/{fallen}").body
    assert (one["state"], one["queue"], one["rule_index"]) == ("admitted", "default", 1)
    assert one["priority"] == {"requested": 101, "effective": 101}


def test_a_capacity_reservation(api, owner, settle):
    client = api(owner)
    apply(client, documents.RESERVATION)
    reserved = {"tags": {"use-reservation": "true"}, "requests": {"gpu": 8}}
    ids = submit(
        client,
        {"name": "right", "instance_type": "a4-highgpu-8g", **reserved},
        {"name": "wrong", "instance_type": "m5.2xlarge", **reserved},
        {"name": "plain", "requests": {"gpu": 8}},
    )
    settle(owner.org)
    assert states(client, ids) == [
        ("admitted", "quota_reserved"),
        ("rejected", "no_flavor_matched"),
        ("admitted", "passthrough"),
    ]
    feed = client.get("decisions").body
    first = next(row for row in feed["results"] if row["workload"]["name"] == "right")
    assert STAMP.fullmatch(first.pop("created_at"))
    flavors = {
        "gpu": {
            "flavor": "a4_reserved",
            "launch_config": {
                "instance_properties": {
                    "reservation_affinity": {
                        "key": "compute.googleapis.com/reservation-name",
                        "consume_reservation_type": "SPECIFIC_RESERVATION",
                        "values": ["my-a4-reservation"],
                    }
                }
            },
        }
    }
    assert first == {
        "seq": first["seq"],
        "workload": {"id": ids[0], "name": "right"},
        "outcome": "admitted",
        "reason": "quota_reserved",
        "queue": "reservation",
        "priority": 0,
        "config_version": 1,
        "rule_index": 0,
        "flavors": flavors,
        "assignment": [
            {
                "name": "main",
                "count": 1,
                "flavors": flavors,
                "node_selector": {},
                "tolerations": [],
            }
        ],
        "victims": [],
        "preemptor": None,
        "resize": None,
    }
    assert feed["next"] == feed["results"][-1]["seq"]
    assert client.get("decisions", after=feed["next"]).body == {
        "results": [],
        "next": feed["next"],
    }
