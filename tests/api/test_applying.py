"""Terms of an apply over HTTP: accepted consequences and the confirmation timer."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from console.configs.models import ConfigVersion, RevertTimer
from console.configs.services.revert_unconfirmed import revert_unconfirmed
from console.engine.model.consequences import ConsequenceCode
from tests.api.documents import CAP, OPEN

PAGE = Path(__file__).resolve().parents[2] / "docs" / "api.md"
CLOSED = CAP[: CAP.rindex("  - resource_queue: default")]


@pytest.fixture
def client(api, owner):
    found = api(owner)
    assert apply(found, OPEN, 0).status == 201
    return found


def apply(client, text: str, expected: int, **terms: object):
    return client.post("config/versions", {"text": text, "expected_version": expected, **terms})


def test_accept_requires_all_consequences(client):
    answer = apply(client, CLOSED, 1, accept=[])
    assert answer.problem == (422, "consequences_not_accepted")
    assert answer.body["missing"] == ["catch_all_lost", "warnings_added"]
    assert [(each["code"], each["level"]) for each in answer.body["consequences"]] == [
        ("catch_all_lost", 3),
        ("warnings_added", 2),
    ]
    assert answer.body["detail"] == (
        "Nothing was applied: review the consequences, and accept catch_all_lost, "
        "warnings_added too."
    )
    assert ConfigVersion.objects.count() == 1

    half = apply(client, CLOSED, 1, accept=["warnings_added"])
    assert half.body["missing"] == ["catch_all_lost"]
    done = apply(client, CLOSED, 1, accept=["warnings_added", "catch_all_lost"])
    assert done.status == 201
    told = [
        {"code": each["code"], "message": each["message"], "accepted": True}
        for each in answer.body["consequences"]
    ]
    assert done.body["consequences"] == told
    assert client.get("config").body["consequences"] == told


def test_consequences_are_optional_without_accept(client):
    for text, terms in ((CLOSED, {}), (OPEN, {"accept": None})):
        active = client.get("config").body["version"]
        assert apply(client, text, active, **terms).status == 201


def test_a_rollback_requires_the_same_acceptance(client):
    apply(client, CLOSED, 1)
    apply(client, OPEN, 2)
    body = {"version": 2, "expected_version": 3}
    refused = client.post("config/rollback", {**body, "accept": []})
    assert refused.problem == (422, "consequences_not_accepted")
    accepted = refused.body["missing"]
    done = client.post("config/rollback", {**body, "accept": accepted})
    assert (done.status, [each["code"] for each in done.body["consequences"]]) == (201, accepted)


@pytest.mark.parametrize(
    ("terms", "path", "code"),
    [
        ({"accept": "all"}, "accept", "wrong_type"),
        ({"accept": ["everything"]}, "accept[0]", "invalid_choice"),
        ({"accept": [3]}, "accept[0]", "wrong_type"),
        ({"accept": ["queue_removed"] * 50}, "accept", "wrong_length"),
        ({"revert_after_minutes": "10"}, "revert_after_minutes", "wrong_type"),
        ({"revert_after_minutes": 0}, "revert_after_minutes", "out_of_range"),
        ({"revert_after_minutes": 1441}, "revert_after_minutes", "out_of_range"),
        ({"revert_after_minutes": 10**15}, "revert_after_minutes", "out_of_range"),
    ],
)
def test_invalid_terms_are_refused(client, terms, path: str, code: str):
    for answer in (
        apply(client, CAP, 1, **terms),
        client.post("config/rollback", {"version": 1, "expected_version": 1, **terms}),
    ):
        assert answer.problem == (400, "invalid_request")
        assert [(e["path"], e["code"]) for e in answer.body["errors"]] == [(path, code)]


def test_a_version_for_a_time_is_confirmed(client):
    assert client.get("config/confirm").problem == (404, "not_found")
    before = timezone.now()
    assert apply(client, CAP, 1, revert_after_minutes=10).status == 201
    timer = client.get("config/confirm").body
    due = RevertTimer.objects.get().due_at
    assert due >= before + timedelta(minutes=10)
    assert timer == {
        "version": 2,
        "back_to": 1,
        "reverts_at": due.isoformat().replace("+00:00", "Z"),
        "author": "owner token",
        "failed_at": None,
    }
    assert client.post("config/confirm", {"version": 1}).problem == (409, "nothing_to_confirm")
    answer = client.post("config/confirm", {"version": 2})
    assert (answer.status, answer.body["version"], answer.body["is_active"]) == (200, 2, True)
    assert client.post("config/confirm", {"version": 2}).problem == (409, "nothing_to_confirm")
    assert client.post("config/confirm", {}).problem == (400, "invalid_request")
    event = client.get("events", type="CONFIG_UPDATED").body["results"][0]
    assert event["message"] == "Config version 2 was confirmed"


def test_an_unconfirmed_version_is_reverted(client):
    apply(client, CAP, 1, revert_after_minutes=1)
    RevertTimer.objects.update(due_at=timezone.now())
    assert revert_unconfirmed() == 1
    now = client.get("config").body
    assert (now["version"], now["text"], now["kind"], now["via"], now["rolled_back_to"]) == (
        3,
        OPEN,
        "rollback",
        "timer",
        1,
    )
    assert client.get("config/confirm").problem == (404, "not_found")


def test_the_first_version_cannot_be_for_a_time(api, owner):
    answer = apply(api(owner), OPEN, 0, revert_after_minutes=5)
    assert [(e["path"], e["code"]) for e in answer.body["errors"]] == [
        ("revert_after_minutes", "no_version_before")
    ]


def test_every_code_is_in_the_docs_and_the_schema(client):
    schema = json.dumps(client.client.get("/api/v1/schema/", {"format": "json"}).json())
    text = PAGE.read_text("utf-8")
    for code in ConsequenceCode:
        assert f"| `{code.value}` |" in text
        assert f'"{code.value}"' in schema


def test_quota_below_usage_is_reported_before_and_after(api, owner, settle):
    """Kueue, 128 to 64 with 128 in use: the answer says so even without `accept`."""
    text = """
apiVersion: kueue.x-k8s.io/v1beta1
kind: ResourceFlavor
metadata: {name: f}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {name: cq}
spec:
  namespaceSelector: {}
  resourceGroups:
    - coveredResources: [cpu]
      flavors: [{name: f, resources: [{name: cpu, nominalQuota: QUOTA}]}]
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: LocalQueue
metadata: {name: lq, namespace: ns}
spec: {clusterQueue: cq}
"""

    client = api(owner)

    def quota(amount: int, version: int, **terms: object) -> Any:
        return apply(client, text.replace("QUOTA", str(amount)), version, dialect="kueue", **terms)

    assert quota(128, 0).body["consequences"] == []
    tags = {"kueue.x-k8s.io/queue-name": "lq"}
    wanted = {"name": "w", "namespace": "ns", "tags": tags, "requests": {"cpu": 16}}
    client.post("workloads", {"workloads": [wanted] * 8})
    settle(owner.org)
    sentence = (
        "cq uses 128 CPUs on f and will have a nominal quota of 64 CPUs: 64 CPUs over, until at "
        "least 4 running"
    )
    refused = quota(64, 1, accept=[])
    assert refused.status == 422
    assert refused.body["missing"] == ["over_nominal"]
    assert refused.body["consequences"][0]["message"].startswith(sentence)
    applied = quota(64, 1)
    (found,) = applied.body["consequences"]
    assert (applied.status, found["code"], found["accepted"]) == (201, "over_nominal", False)
    assert found["message"].startswith(sentence)
