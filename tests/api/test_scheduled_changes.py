"""Scheduled changes over HTTP: temporary quotas, scheduled applies, fields of versions."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from console.configs.models import ScheduledChange
from console.configs.services.carry_out_changes import carry_out_due
from tests.dialects.test_editable_numbers import KUEUE_TEXT

CPU = {"field": "nominalQuota", "flavor": "spot", "resource": "cpu", "value": "12"}
RAISED = KUEUE_TEXT.replace('"9"', '"12"')


@pytest.fixture
def client(api, owner):
    """A client of an owner; a Kueue config is active."""
    found = api(owner)
    body = {"dialect": "kueue", "text": KUEUE_TEXT, "expected_version": 0}
    assert found.post("config/versions", body).status == 201
    return found


def later(hours: int = 1) -> str:
    """Return a time some *hours* from now as the API writes it."""
    at = timezone.now() + timedelta(hours=hours)
    return at.isoformat(timespec="microseconds").replace("+00:00", "Z")


def raise_cpu(client, until: str):
    body = {"numbers": [CPU], "expected_version": 1, "message": "Demo", "until": until}
    return client.post("queues/ml/quota", body)


def schedule(client, at: str, **more: object):
    body = {"dialect": "kueue", "text": RAISED, "expected_version": 1, "apply_at": at, **more}
    return client.post("config/scheduled", body)


def make_due() -> None:
    ScheduledChange.objects.update(due_at=timezone.now(), try_at=timezone.now())


def test_a_temporary_quota_is_a_field_of_its_version(client):
    at = later()
    answer = raise_cpu(client, at)
    assert answer.status == 201
    (change,) = client.get("config/scheduled").body["results"]
    assert answer.body["temporary"] == {
        "scheduled_change": change["id"],
        "until": at,
        "state": "scheduled",
    }
    created_at = change.pop("created_at")
    assert change == {
        "id": change["id"],
        "kind": "end",
        "state": "scheduled",
        "due_at": at,
        "author": "owner token",
        "message": "Demo",
        "version": None,
        "ended_at": None,
        "ended_by": None,
        "problem": None,
        "begun_by": 2,
        "review": None,
        "object": {"kind": "queue", "name": "ml"},
        "numbers": [
            {
                "field": "nominalQuota",
                "flavor": "spot",
                "resource": "cpu",
                "title": "Nominal quota",
                "before": "9",
                "after": "12",
            }
        ],
        "draft": None,
        "base": None,
        "accept": None,
    }
    assert created_at
    make_due()
    assert carry_out_due() == 1
    third, second, first = client.get("config/versions").body["results"]
    assert [
        each["temporary"] and each["temporary"]["state"] for each in (first, second, third)
    ] == [
        None,
        "done",
        None,
    ]
    assert (third["via"], third["scheduled_change"]) == ("schedule", change["id"])
    assert client.get("config").body["text"] == KUEUE_TEXT


def test_a_scheduled_apply_is_moved_made_early_and_canceled(client):
    at, moved = later(), later(3)
    answer = schedule(client, at, message="More", accept=[])
    assert answer.status == 201
    number = answer.body["id"]
    one = f"config/scheduled/{number}"
    assert (answer.body["kind"], answer.body["base"], answer.body["text"]) == ("apply", 1, RAISED)
    assert (answer.body["due_at"], answer.body["accept"]) == (at, [])
    assert client.patch(one, {"due_at": moved}).body["due_at"] == moved
    assert client.get(one).body["due_at"] == moved
    done = client.post(f"{one}/carry-out", {})
    assert (done.status, done.body["state"], done.body["version"]) == (200, "done", 2)
    assert client.get("config").body["text"] == RAISED
    again = client.post(f"{one}/carry-out", {})
    assert (again.status, again.body["code"]) == (409, "change_ended")

    kept = schedule(client, later(), text=KUEUE_TEXT, expected_version=2).body["id"]
    gone = client.delete(f"config/scheduled/{kept}")
    assert (gone.status, gone.body["state"]) == (200, "canceled")
    listed = client.get("config/scheduled?state=canceled").body["results"]
    assert [each["id"] for each in listed] == [kept]


def test_bad_input_has_its_place(client):
    for at in (None, "soon", "2001-01-01T00:00:00Z"):
        answer = schedule(client, at)
        assert (answer.status, answer.body["errors"][0]["path"]) == (400, "apply_at")
        answer = raise_cpu(client, "2001-01-01T00:00:00Z")
        assert (answer.status, answer.body["errors"][0]["path"]) == (400, "until")
    answer = client.post("config/scheduled", {})
    assert {each["path"] for each in answer.body["errors"]} == {
        "text",
        "expected_version",
        "apply_at",
    }
    assert client.get("config/scheduled?state=x").status == 400
    assert client.get("config/scheduled/999").status == 404
    assert schedule(client, later(), expected_version=7).body["code"] == "stale_version"
    number = schedule(client, later()).body["id"]
    for body in ({}, {"due_at": None}, {"due_at": 5}):
        answer = client.patch(f"config/scheduled/{number}", body)
        assert (answer.status, answer.body["errors"][0]["path"]) == (400, "due_at")


def test_an_impossible_change_stays_scheduled(client):
    number = raise_cpu(client, later()).body["temporary"]["scheduled_change"]
    body = {"dialect": "kueue", "text": RAISED.replace('"12"', '"20"'), "expected_version": 2}
    assert client.post("config/versions", body).status == 201
    answer = client.post(f"config/scheduled/{number}/carry-out", {})
    assert (answer.status, answer.body["code"]) == (409, "not_carried_out")
    assert "is 20, not 12" in answer.body["detail"]
    assert client.get(f"config/scheduled/{number}").body["state"] == "scheduled"
