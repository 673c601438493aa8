"""Rules are moved over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from console.dialects import dialects
from console.orgs.permissions import Actor
from tests.dialects.test_moving import TEXT, move

pytestmark = pytest.mark.django_db


@pytest.fixture
def client(api, owner: Actor) -> Any:
    """Return a client of an organization with three rules."""
    client = api(owner)
    client.post("config/versions", {"text": TEXT, "expected_version": 0})
    return client


def test_a_move_is_a_version(client) -> None:
    body = {"rule": 0, "to": 1, "expected_version": 1, "message": "b first", "accept": []}
    answer = client.post("config/rules/move", body)
    assert (answer.status, answer.body["version"], answer.body["message"]) == (201, 2, "b first")
    assert answer.body["text"] == move(dialects()["native"], TEXT, 0, 1)
    assert [each["kind"] for each in answer.body["changes"]] == ["moved"]


def test_wrong_positions_have_their_place(client) -> None:
    answer = client.post("config/rules/move", {"rule": 7, "to": 1, "expected_version": 1})
    assert answer.status == 400
    assert [(each["path"], each["code"]) for each in answer.body["errors"]] == [
        ("rule", "out_of_range")
    ]
    same = client.post("config/rules/move", {"rule": 1, "to": 1, "expected_version": 1})
    assert (same.status, same.body["is_new"]) == (200, False)
    stale = client.post("config/rules/move", {"rule": 0, "to": 1, "expected_version": 9})
    assert stale.status == 409
