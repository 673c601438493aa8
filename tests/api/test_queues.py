"""Queues over HTTP: usage, order, hold and resume, and unusual names."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from urllib.parse import quote

import pytest

from tests.api.documents import CAP, OPEN, RESEARCH

NAMES = ["team-a:v2", "a/b", "with space", "größe", "100%", "?x=1", "#hash", "a+b", "..", "🚀"]


@pytest.fixture
def client(api, owner):
    return api(owner)


def apply(client, text: str, version: int = 0) -> None:
    assert client.post("config/versions", {"text": text, "expected_version": version}).status == 201


def submit(client, *workloads: dict) -> list[str]:
    answer = client.post("workloads", {"workloads": list(workloads)})
    assert answer.status == 202, answer.body
    return answer.body["ids"]


def m5(name: str, **more: object) -> dict:
    return {"name": name, "instance_type": "m5.2xlarge", "requests": {"cpu": 24}, **more}


def test_queues_come_in_the_order_of_the_text(client):
    assert client.get("queues").body == {"results": [], "next": None}
    apply(client, RESEARCH)
    body = client.get("queues").body
    assert body["next"] is None
    training, default = body["results"]
    assert [(u["flavor"], u["resource"], u["nominal"]) for u in training["usage"]] == [
        ("gpu_a100_spot", "gpu", 64),
        ("gpu_a100_spot", "cpu", 512),
        ("research_gpu_pool", "gpu", 16),
        ("research_gpu_pool", "cpu", 128),
    ]
    assert default == {
        "name": "default",
        "cohort": None,
        "passthrough": True,
        "draining": False,
        "successor": None,
        "held": None,
        "stop": "none",
        "strategy": "best_effort_fifo",
        "counts": {"running": 0, "pending": 0, "cannot_run": 0},
        "oldest_pending": None,
        "reasons": {},
        "waits": {"p50": None, "p95": None, "count": 0},
        "pressure": None,
        "rules": [1],
        "range": default["range"],
        "usage": [],
    }


def test_unlimited_is_null(client):
    apply(client, CAP.replace("{ name: cpu, nominal_quota: 24 }", "{ name: cpu }"))
    cpu = client.get("queues/q-m5-2xlarge-cap3").body["usage"][0]
    assert (cpu["nominal"], cpu["available"], cpu["limit"], cpu["used"]) == (None, None, None, 0)


def test_the_list_is_paged(client):
    queues = [f"q{i}" for i in range(7)]
    apply(client, "resource_queues:\n" + "".join(f"  - name: {name}\n" for name in queues))
    seen, cursor = [], ""
    while cursor is not None:
        page = client.get("queues", limit=3, cursor=cursor).body
        seen += [row["name"] for row in page["results"]]
        cursor = page["next"]
    assert seen == queues


def test_pending_come_in_order_with_position_and_reason(client, settle, owner):
    apply(client, CAP)
    submit(client, m5("running", priority=90))
    settle(owner.org)
    submit(client, m5("low", priority=1), m5("default"), m5("high", priority=80), m5("late"))
    huge = m5("huge", priority=60)
    submit(client, {**huge, "requests": {"cpu": 25}})
    settle(owner.org)
    rows, cursor = [], ""
    while cursor is not None:
        page = client.get("queues/q-m5-2xlarge-cap3/pending", limit=2, cursor=cursor).body
        rows += page["results"]
        cursor = page["next"]
    assert [(r["queue_position"], r["name"], r["reason"]["code"]) for r in rows] == [
        (1, "high", "waiting_for_quota"),
        (None, "huge", "exceeds_max_quota"),
        (2, "default", "waiting_for_quota"),
        (3, "late", "waiting_for_quota"),
        (4, "low", "waiting_for_quota"),
    ]
    for row in rows:
        one = client.get(f"workloads/{row['id']}").body
        assert one["queue_position"] == row["queue_position"]
    queue = client.get("queues/q-m5-2xlarge-cap3").body
    assert queue["counts"] == {"running": 1, "pending": 5, "cannot_run": 1}
    assert queue["reasons"] == {"waiting_for_quota": 4, "exceeds_max_quota": 1}
    assert queue["pressure"] == {"resource": "cpu", "wanted": 96, "free": 0}
    assert queue["waits"] == {"p50": queue["waits"]["p50"], "p95": None, "count": 1}
    assert client.get("queues").body["results"][0] == queue
    assert client.get("queues/unknown/pending").problem == (404, "not_found")


def test_a_held_queue_admits_nothing_until_it_is_resumed(client, settle, owner):
    apply(client, CAP)
    settle(owner.org)
    held = client.post("queues/q-m5-2xlarge-cap3/hold", {"reason": " rack is down "})
    assert held.status == 200
    assert held.body["held"] == {
        "reason": "rack is down",
        "actor": "owner token",
        "since": held.body["held"]["since"],
        "until": None,
    }
    (uid,) = submit(client, m5("waits"))
    settle(owner.org)
    row = client.get(f"workloads/{uid}").body
    assert (row["state"], row["reason"]["code"]) == ("pending", "queue_held")
    again = client.post("queues/q-m5-2xlarge-cap3/hold", {"reason": "still down"})
    assert again.body["held"]["reason"] == "still down"

    assert client.post("queues/q-m5-2xlarge-cap3/resume").body["held"] is None
    assert client.post("queues/q-m5-2xlarge-cap3/resume", {"reason": "up"}).status == 200
    settle(owner.org)
    assert client.get(f"workloads/{uid}").body["state"] == "admitted"


def test_a_hold_may_have_an_end(client):
    apply(client, CAP)
    end = datetime.now(UTC) + timedelta(hours=2)
    address = "queues/default/hold"
    held = client.post(address, {"reason": "r", "until": end.isoformat()}).body["held"]
    assert datetime.fromisoformat(held["until"]) == end
    elsewhere = end.astimezone(timezone(timedelta(hours=5, minutes=30))).isoformat()
    again = client.post(address, {"reason": "r", "until": elsewhere})
    assert again.body["held"]["until"] == held["until"]
    assert client.get("queues/default").body["held"]["until"] == held["until"]
    for until, code in (
        ("soon", "invalid_time"),
        (5, "invalid_time"),
        ("2030-02-31T00:00:00Z", "invalid_time"),
        ("2020-01-31T00:00:00Z", "out_of_range"),
        ("2199-01-31T00:00:00Z", "out_of_range"),
    ):
        answer = client.post(address, {"reason": "r", "until": until})
        assert [(e["path"], e["code"]) for e in answer.body["errors"]] == [("until", code)]
    assert client.post(address, {"reason": "r", "until": None}).body["held"]["until"] is None


def test_a_hold_needs_a_reason_and_a_queue(client):
    apply(client, CAP)
    for body, code in (
        ({}, "required"),
        ({"reason": ""}, "blank"),
        ({"reason": None}, "wrong_type"),
        ({"reason": "x" * 501}, "too_long"),
        ({"reason": "\0"}, "invalid_characters"),
    ):
        answer = client.post("queues/default/hold", body)
        assert [(e["path"], e["code"]) for e in answer.body["errors"]] == [("reason", code)]
    assert client.post("queues/unknown/hold", {"reason": "x"}).problem == (404, "not_found")
    assert client.post("queues/unknown/resume").problem == (404, "not_found")


def test_a_draining_queue_leads_to_its_successor(client, settle, owner):
    apply(client, CAP)
    submit(client, m5("runs"))
    settle(owner.org)
    name, after = "q-m5-2xlarge-cap3", "q-m5-2xlarge-cap3:v2"
    apply(client, CAP.replace(name, after), 1)
    settle(owner.org)
    found = {row["name"]: row["successor"] for row in client.get("queues").body["results"]}
    assert found == {after: None, "default": None, name: after} or found == {
        after: None,
        name: after,
    }
    assert client.get(f"queues/{name}").body["successor"] == after


def test_a_queue_that_left_the_config_drains(client, settle, owner):
    apply(client, CAP)
    submit(client, m5("runs"), m5("waits"))
    settle(owner.org)
    apply(client, OPEN, 1)
    settle(owner.org)
    assert [row["name"] for row in client.get("queues").body["results"]] == [
        "default",
        "q-m5-2xlarge-cap3",
    ]
    draining = client.get("queues/q-m5-2xlarge-cap3").body
    assert draining == {
        "name": "q-m5-2xlarge-cap3",
        "cohort": None,
        "passthrough": False,
        "draining": True,
        "successor": None,
        "held": None,
        "stop": "none",
        "strategy": "best_effort_fifo",
        "counts": {"running": 1, "pending": 0, "cannot_run": 0},
        "oldest_pending": None,
        "reasons": {},
        "waits": draining["waits"],
        "pressure": None,
        "rules": [],
        "range": None,
        "usage": [
            {
                "flavor": "m5-2xlarge",
                "resource": "cpu",
                "nominal": 0,
                "used": 24,
                "borrowed": 0,
                "over": 24,
                "lent": 0,
                "available": 0,
                "limit": 0,
                "demand": 0,
                "cannot_run_demand": 0,
            }
        ],
    }


@pytest.mark.parametrize("name", NAMES)
def test_a_name_may_hold_anything(client, settle, owner, name):
    text = OPEN.replace("default", f'"{name}"')
    apply(client, text)
    submit(client, {"name": "w"})
    settle(owner.org)
    address = quote(name, safe="/")
    assert client.get(f"queues/{address}").body["name"] == name
    assert client.get(f"queues/{address}/pending").body == {"results": [], "next": None}
    assert client.post(f"queues/{address}/hold", {"reason": "r"}).body["name"] == name
    assert client.post(f"queues/{address}/resume").body["held"] is None
    assert [row["queue"] for row in client.get("workloads", queue=name).body["results"]] == [name]


def test_a_queue_that_was_renamed_says_its_new_name(client):
    apply(client, CAP)
    renamed = CAP.replace("q-m5-2xlarge-cap3", "q-m5")
    apply(client, renamed, 1)
    old = "q-m5-2xlarge-cap3"
    for answer in (
        client.get(f"queues/{old}"),
        client.get(f"queues/{old}/pending"),
        client.post(f"queues/{old}/hold", {"reason": "racks"}),
        client.get(f"usage?queue={old}"),
        client.get(f"waits?queue={old}"),
    ):
        assert answer.problem == (404, "not_found")
        assert answer.body["renamed_to"] == "q-m5"
        assert answer.body["detail"] == f"The queue '{old}' is called 'q-m5' since version 2."
    assert client.get("queues/q-m5").body["held"] is None
    assert "renamed_to" not in client.get("queues/nothing").body
