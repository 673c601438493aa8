"""The quota of a queue is changed over HTTP: one version, or errors at the numbers."""

from __future__ import annotations

import pytest

from tests.dialects.test_editable_numbers import KUEUE_TEXT

CPU = {"field": "nominalQuota", "flavor": "spot", "resource": "cpu"}


@pytest.fixture
def client(api, owner):
    """A client of an owner; a Kueue config is active."""
    found = api(owner)
    body = {"dialect": "kueue", "text": KUEUE_TEXT, "expected_version": 0}
    assert found.post("config/versions", body).status == 201
    return found


def change(client, *numbers: dict, version: int = 1, **more: object):
    return client.post(
        "queues/ml/quota", {"numbers": list(numbers), "expected_version": version, **more}
    )


def test_a_change_is_a_version(client):
    answer = change(client, {**CPU, "value": "12"}, message="More", accept=[])
    assert answer.status == 201
    assert (answer.body["version"], answer.body["message"]) == (2, "More")
    assert (answer.body["is_new"], answer.body["consequences"]) == (True, [])
    assert client.get("config").body["text"] == KUEUE_TEXT.replace('"9"', '"12"')


def test_the_numbers_of_a_cohort_are_changed_too(client):
    body = {"numbers": [{**CPU, "value": "5"}], "expected_version": 1}
    answer = client.post("cohorts/all/quota", body)
    assert (answer.status, answer.body["version"]) == (201, 2)
    assert client.get("config").body["text"] == KUEUE_TEXT.replace(
        "nominalQuota: 4", "nominalQuota: 5"
    )
    assert client.post("cohorts/nothing/quota", {**body, "expected_version": 2}).status == 404


def test_the_same_number_is_no_version(client):
    answer = change(client, {**CPU, "value": "9"})
    assert (answer.status, answer.body["version"], answer.body["is_new"]) == (200, 1, False)


def test_wrong_values_have_their_place(client):
    answer = change(client, {**CPU, "value": "12"}, {**CPU, "resource": "gpu", "value": "1"})
    assert answer.status == 400
    assert [(each["path"], each["code"]) for each in answer.body["errors"]] == [
        ("numbers[1]", "unknown_number")
    ]
    answer = change(client, {**CPU, "value": "many"})
    assert [(each["path"], each["code"]) for each in answer.body["errors"]] == [
        ("numbers[0].value", "invalid_number")
    ]
    answer = client.post("queues/ml/quota", {"numbers": [{"value": 3}]})
    assert answer.status == 400
    assert {each["path"] for each in answer.body["errors"]} == {
        "expected_version",
        "numbers[0].field",
        "numbers[0].value",
    }
    assert client.get("config").body["version"] == 1


def test_another_version_is_a_conflict(client):
    assert change(client, {**CPU, "value": "12"}).status == 201
    answer = change(client, {**CPU, "value": "15"})
    assert (answer.status, answer.body["code"]) == (409, "stale_version")


def test_a_queue_without_numbers_is_not_found(client):
    body = {"numbers": [{**CPU, "value": "1"}], "expected_version": 1}
    assert client.post("queues/nothing/quota", body).status == 404
