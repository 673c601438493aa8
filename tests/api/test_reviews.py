"""Review requests over HTTP: submit, comment, approve, withdraw, and the required approval."""

from __future__ import annotations

import pytest
from django.test import Client

from console.orgs.services.issue_token import create_token
from tests.api.conftest import Api
from tests.api.documents import CAP, OPEN


@pytest.fixture
def boss(api, owner):
    found = api(owner)
    body = {"text": OPEN, "expected_version": 0}
    assert found.post("config/versions", body).status == 201
    return found


@pytest.fixture
def own_token(owner):
    """Return a client with a token of the owner."""
    secret = create_token(owner, "owner", "mine").secret
    return Client(headers={"authorization": f"Bearer {secret}"})


def test_a_text_is_approved_and_applied(boss, api, owner, editor, own_token):
    assert boss.get("config/approval").body == {"required": False}
    assert boss.put("config/approval", {"required": True}).body == {"required": True}
    body = {"text": CAP, "expected_version": 1}
    assert boss.post("config/versions", body).problem == (409, "approval_required")

    theirs = api(editor)
    made = theirs.post("config/reviews", {**body, "title": "Cap"})
    assert made.status == 201
    number = made.body["id"]
    path = f"config/reviews/{number}"
    assert made.body["text"] == CAP
    assert (made.body["state"], made.body["base"], made.body["comments"]) == ("waiting", 1, [])
    refused = theirs.post(f"{path}/comments", {"verdict": "approve"})
    assert refused.problem == (403, "not_allowed")

    said = theirs.post(f"{path}/comments", {"text": "For the new team", "line": 2})
    assert said.status == 200
    # This token belongs to no person.
    nobody = boss.post(f"{path}/comments", {"verdict": "approve"})
    assert nobody.problem == (403, "not_allowed")
    done = Api(own_token, owner.org.slug).post(f"{path}/comments", {"verdict": "approve"})
    assert done.status == 200
    assert done.body["state"] == "approved"
    assert [(each["verdict"], each["text"], each["line"]) for each in done.body["comments"]] == [
        ("comment", "For the new team", 2),
        ("approve", "", None),
    ]
    assert boss.get(path).body == done.body
    listed = boss.get("config/reviews").body
    summary = {name: value for name, value in done.body.items() if name not in ("text", "comments")}
    assert listed == {"results": [summary], "next": None}
    assert boss.post("config/versions", body).status == 201


def test_invalid_requests_name_their_fields(boss):
    made = boss.post("config/reviews", {"text": CAP, "expected_version": 1})
    path = f"config/reviews/{made.body['id']}/comments"
    for body, at in (
        ({"verdict": "maybe"}, "verdict"),
        ({"text": ""}, "text"),
        ({"text": "x", "line": 100_000}, "line"),
        ({"text": "x", "line": "2"}, "line"),
    ):
        answer = boss.post(path, body)
        assert answer.problem == (400, "invalid_request")
        assert [each["path"] for each in answer.body["errors"]] == [at]
    broken = boss.post("config/reviews", {"text": "resource_queues: 3", "expected_version": 1})
    assert broken.problem == (422, "config_rejected")
    stale = boss.post("config/reviews", {"text": CAP, "expected_version": 0})
    assert stale.problem == (409, "stale_version")


def test_a_request_is_withdrawn_once(boss):
    made = boss.post("config/reviews", {"text": CAP, "expected_version": 1})
    path = f"config/reviews/{made.body['id']}"
    assert boss.delete(path).body["state"] == "withdrawn"
    assert boss.delete(path).problem == (409, "review_closed")
