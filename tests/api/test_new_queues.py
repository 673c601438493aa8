"""Queues are added over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from console.orgs.permissions import Actor
from tests.dialects.test_new_queues import NATIVE, add

pytestmark = pytest.mark.django_db

NUMBER = {"field": "nominal_quota", "flavor": "a100", "resource": "gpu", "value": "8"}


@pytest.fixture
def client(api, owner: Actor) -> Any:
    """Return a client of an organization with two queues."""
    client = api(owner)
    client.post("config/versions", {"text": NATIVE, "expected_version": 0})
    return client


def test_a_new_queue_is_a_version(client) -> None:
    body = {
        "name": "vision",
        "settings": {"conditions": ["team=vision"], "position": "1"},
        "numbers": [NUMBER],
        "expected_version": 1,
        "message": "For vision",
        "accept": [],
    }
    answer = client.post("config/queues", body)
    assert (answer.status, answer.body["version"], answer.body["message"]) == (201, 2, "For vision")
    fields = {"conditions": ["team=vision"], "position": ["1"]}
    made = add("native", NATIVE, "vision", fields, {("nominal_quota", "a100", "gpu"): "8"})
    assert answer.body["text"] == made.text
    assert sorted((each["kind"], each["object"]) for each in answer.body["changes"]) == [
        ("added", "queue"),
        ("added", "rule"),
    ]


def test_wrong_values_have_their_place(client) -> None:
    body = {"name": "train", "settings": {"position": "x"}, "expected_version": 1}
    answer = client.post("config/queues", body)
    assert answer.status == 400
    assert sorted(each["path"] for each in answer.body["errors"]) == [
        "name",
        "settings.conditions",
    ]
    body = {"name": "a", "settings": {"a": [1], "b": 2}, "numbers": 1, "expected_version": 1}
    answer = client.post("config/queues", body)
    assert sorted(each["path"] for each in answer.body["errors"]) == [
        "numbers",
        "settings.a[0]",
        "settings.b",
    ]
    stale = {"name": "a", "settings": {"conditions": "a=b"}, "expected_version": 9}
    assert client.post("config/queues", stale).status == 409
