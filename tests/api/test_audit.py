"""The audit log: every action leaves one entry with the values before and after."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from console.orgs.audit import ACTIONS
from console.orgs.models import ApiToken, AuditEntry, Membership, Organization, Role
from console.orgs.permissions import Actor
from console.orgs.services.add_member import add_member
from console.orgs.services.issue_token import issue_token
from console.orgs.services.revoke_token import revoke_secret
from console.orgs.services.seal_audit import seal_audit
from console.orgs.services.verify_audit import verify_lines
from tests.api.documents import OPEN
from tests.conftest import PASSWORD


@pytest.fixture(autouse=True)
def clear_attempts() -> None:
    """Clear the failed sign-ins of other tests."""
    cache.clear()


@pytest.fixture
def client(api, owner):
    return api(owner)


def entries(**conditions: Any) -> list[tuple]:
    """Return entries, oldest first: actor, action, and values before and after."""
    rows = AuditEntry.objects.filter(**conditions).exclude(kind__in=["org"]).order_by("pk")
    return [(row.action, row.kind, row.subject, row.before, row.after) for row in rows]


def test_a_config_says_which_version_it_replaced(client) -> None:
    client.post("config/versions", {"text": OPEN, "expected_version": 0, "message": "first"})
    client.post("config/versions", {"text": f"{OPEN}#\n", "expected_version": 1})
    client.post("config/rollback", {"version": 1, "expected_version": 2})
    told = [
        (action, subject, before, after["version"], after["from"], after["message"])
        for action, _, subject, before, after in entries(kind="config")
    ]
    assert told == [
        ("config.apply", "1", {"version": 0}, 1, 0, "first"),
        ("config.apply", "2", {"version": 1}, 2, 1, ""),
        ("config.rollback", "3", {"version": 2}, 3, 2, "Roll back to version 1"),
    ]


def test_confirming_and_reverting_leave_entries(client) -> None:
    client.post("config/versions", {"text": OPEN, "expected_version": 0})
    asked = {"text": f"{OPEN}#\n", "expected_version": 1, "revert_after_minutes": 5}
    assert client.post("config/versions", asked).status == 201
    assert client.post("config/confirm", {"version": 2}).status == 200
    assert entries(action="config.confirm") == [("config.confirm", "config", "2", None, None)]


def test_entries_of_holds_have_the_previous_hold(client) -> None:
    client.post("config/versions", {"text": OPEN, "expected_version": 0})
    client.post("queues/default/hold", {"reason": "rack down"})
    client.post("queues/default/hold", {"reason": "rack down"})
    client.post("queues/default/hold", {"reason": "still down"})
    client.post("queues/default/resume", {"reason": "it is back"})
    client.post("queues/default/resume", {})
    by = {"actor": "owner token"}
    assert entries(kind="queue") == [
        ("queue.hold", "queue", "default", None, {"reason": "rack down", **by}),
        (
            "queue.hold",
            "queue",
            "default",
            {"reason": "rack down", **by},
            {"reason": "still down", **by},
        ),
        (
            "queue.resume",
            "queue",
            "default",
            {"reason": "still down", **by},
            {"reason": "it is back"},
        ),
    ]


def test_one_request_for_many_workloads_is_one_entry(client, settle, owner: Actor) -> None:
    client.post("config/versions", {"text": OPEN, "expected_version": 0})
    asked = json.dumps({"workloads": [{"name": f"w{i}"} for i in range(7)]})
    ids = client.post("workloads", asked, **{"Idempotency-Key": "k"}).body["ids"]
    # The repeated request submits nothing.
    assert client.post("workloads", asked, **{"Idempotency-Key": "k"}).body["ids"] == ids
    settle(owner.org)
    client.post("workloads/finish", {"ids": ids[:2]})
    client.post(f"workloads/{ids[2]}/withdraw")
    assert entries(kind="workload") == [
        ("workload.submit", "workload", "", None, {"count": 7, "ids": ids[:5]}),
        ("workload.finish", "workload", "", None, {"count": 2, "ids": ids[:2]}),
        ("workload.withdraw", "workload", ids[2], None, {"count": 1, "ids": ids[2:3]}),
    ]


def test_entries_of_expectations_have_their_values(client) -> None:
    client.post("config/expectations", {"expectations": [{"name": "any", "queue": "default"}]})
    client.post("config/expectations", {"expectations": [{"name": "any", "queue": "other"}]})
    client.post("config/expectations/delete", {"names": ["any"]})
    told = [
        (action, subject, before and before["queue"], after and after["queue"])
        for action, _, subject, before, after in entries(kind="expectation")
    ]
    assert told == [
        ("expectation.save", "any", None, "default"),
        ("expectation.save", "any", "default", "other"),
        ("expectation.delete", "any", "other", None),
    ]


def test_refused_and_ineffective_requests_leave_no_entry(client, api, viewer: Actor) -> None:
    client.post("config/versions", {"text": OPEN, "expected_version": 0})
    reader = api(viewer)
    last = AuditEntry.objects.latest("pk").pk
    refused = [
        client.post("config/versions", {"text": f"{OPEN}#\n", "expected_version": 0}),
        client.post("config/versions", {"text": "scheduling_rules: 7", "expected_version": 1}),
        client.post("config/rollback", {"version": 1, "expected_version": 1}),
        client.post("queues/nowhere/hold", {"reason": "x"}),
        client.post("workloads/finish", {"ids": ["unknown"]}),
        reader.post("queues/default/hold", {"reason": "x"}),
        reader.post("workloads", {"workloads": [{"name": "one"}]}),
    ]
    assert [answer.status for answer in refused] == [409, 422, 409, 404, 404, 403, 403]
    assert client.post("queues/default/resume", {}).status == 200
    unknown = Client(headers={"authorization": "Bearer aslu_unknown"})
    assert unknown.post(f"{client.org}/workloads").status_code == 401
    assert AuditEntry.objects.filter(pk__gt=last).count() == 0


def test_account_actions_leave_an_entry_in_each_organization(
    owner: Actor, other_org: Organization
) -> None:
    assert owner.user is not None
    Membership.objects.create(org=other_org, user=owner.user, role=Role.VIEWER)
    browser = Client(REMOTE_ADDR="203.0.113.9", headers={"user-agent": "Browser 1"})
    browser.post("/login", {"email": owner.name, "password": "a wrong one"})
    browser.post("/login", {"email": "nobody@here.example", "password": "a wrong one"})
    browser.post("/login", {"email": owner.name.upper(), "password": PASSWORD})
    changed = {
        "old_password": PASSWORD,
        "new_password1": "quite another horse",
        "new_password2": "quite another horse",
    }
    assert browser.post("/password", changed).status_code == 302
    browser.post("/logout")
    for org in (owner.org, other_org):
        assert [
            (row.action, row.subject, row.actor, row.actor_key, row.ip, row.agent)
            for row in AuditEntry.objects.filter(org=org, kind="account").order_by("pk")
        ] == [
            (action, owner.name, owner.name, owner.key, "203.0.113.9", "Browser 1")
            for action in (
                "session.sign_in_failed",
                "session.sign_in",
                "account.password",
                "session.sign_out",
            )
        ]


def test_no_secret_is_ever_in_an_entry(org: Organization, owner: Actor) -> None:
    secret = issue_token(org, Role.OWNER, "pipeline", expires_at=timezone.now() + timedelta(1))
    browser = Client()
    browser.post("/login", {"email": owner.name, "password": PASSWORD})
    browser.post("/login", {"email": owner.name, "password": "guessed password"})
    client = Client(headers={"authorization": f"Bearer {secret}"})
    body = json.dumps({"text": OPEN, "expected_version": 0})
    client.post("/api/v1/orgs/here/config/versions", body, "application/json")
    revoke_secret(secret)
    assert AuditEntry.objects.filter(action="token.revoke").count() == 1
    token = ApiToken.objects.get()
    text = json.dumps([list(row) for row in AuditEntry.objects.values_list()], default=str)
    told = [secret, secret.removeprefix(token.prefix), token.digest, PASSWORD, "guessed password"]
    assert [each for each in told if each in text] == []
    assert token.prefix in text


def test_members_and_tokens_of_the_command_line(org: Organization, viewer: Actor) -> None:
    assert viewer.user is not None
    add_member(org, viewer.user, Role.OPERATOR)
    secret = issue_token(org, Role.VIEWER, "reader")
    revoke_secret(secret)
    revoke_secret(secret)
    number = str(ApiToken.objects.get().pk)
    issued = {"name": "reader", "role": "viewer", "prefix": secret[:13], "expires_at": None}
    assert entries(actor_key="command") == [
        ("member.role", "member", viewer.name, {"role": "viewer"}, {"role": "operator"}),
        ("token.issue", "token", number, None, issued),
        ("token.revoke", "token", number, {"name": "reader", "role": "viewer"}, None),
    ]


def test_an_entry_has_the_origin_of_its_request(owner: Actor) -> None:
    secret = issue_token(owner.org, Role.OWNER, "pipeline")
    client = Client(
        REMOTE_ADDR="203.0.113.9",
        headers={"authorization": f"Bearer {secret}", "user-agent": "curl/8"},
    )
    body = json.dumps({"workloads": [{"name": "one"}]})
    answer = client.post("/api/v1/orgs/here/workloads", body, "application/json")
    row = AuditEntry.objects.get(action="workload.submit")
    assert (row.ip, row.agent, row.request_id) == (
        "203.0.113.9",
        "curl/8",
        answer.headers["X-Request-ID"],
    )
    assert row.actor == "pipeline"
    assert row.actor_key == f"token:{ApiToken.objects.get().pk}"


@pytest.fixture
def list_actions(client, owner: Actor, viewer: Actor, client_for) -> Callable[..., list[str]]:
    """Perform some actions and return a function that lists actions by filters."""
    client.post("config/versions", {"text": OPEN, "expected_version": 0})
    client.post("queues/default/hold", {"reason": "x"})
    client.post("workloads", {"workloads": [{"name": "w"}]})
    client_for(viewer)

    def actions(**query: Any) -> list[str]:
        return [row["action"] for row in client.get("audit", **query).body["results"]]

    return actions


def test_filters_narrow_the_list(list_actions, client, viewer: Actor) -> None:
    assert list_actions() == [
        "session.sign_in",
        "workload.submit",
        "queue.hold",
        "config.apply",
        "token.issue",
        "org.create",
    ]
    key = f"token:{ApiToken.objects.get().pk}"
    assert list_actions(action="queue.hold") == ["queue.hold"]
    assert list_actions(action=["queue", "config.apply"]) == ["queue.hold", "config.apply"]
    assert list_actions(action=["queue", "config.apply"], limit=1) == ["queue.hold"]
    assert list_actions(kind=["queue", "org"]) == ["queue.hold", "org.create"]
    assert list_actions(kind="queue", subject="default") == ["queue.hold"]
    assert list_actions(subject="default") == ["queue.hold"]
    assert list_actions(actor=viewer.name) == ["session.sign_in"]
    assert list_actions(actor=key) == list_actions(actor="owner token")
    assert list_actions(actor=key, action="config") == ["config.apply"]
    (row,) = client.get("audit", action="queue.hold").body["results"]
    assert list_actions(request=row["request_id"]) == ["queue.hold"]
    assert list_actions(id=row["id"]) == ["queue.hold"]
    assert list_actions(ip="127.0.0.1", kind="workload") == ["workload.submit"]
    assert list_actions(since=row["time"], action="config") == []
    assert list_actions(until=row["time"]) == ["config.apply", "token.issue", "org.create"]
    assert client.get("audit", action="queue.burn").problem == (400, "invalid_request")
    assert client.get("audit", id="x").problem == (400, "invalid_request")


def test_pages_contain_every_entry_once(list_actions, client) -> None:
    for query in ({}, {"action": [each.partition(".")[0] for each in ACTIONS]}, {"ip": ""}):
        seen, cursor = [], ""
        while cursor is not None:
            page = client.get("audit", limit=2, cursor=cursor, **query).body
            seen += [row["action"] for row in page["results"]]
            cursor = page["next"]
        assert seen == list_actions()


def test_other_roles_see_only_their_own_entries(list_actions, api, api_for, viewer: Actor) -> None:
    secret = issue_token(viewer.org, Role.SUBMITTER, "mine")
    mine = Client(headers={"authorization": f"Bearer {secret}"})
    body = json.dumps({"workloads": [{"name": "one"}]})
    mine.post("/api/v1/orgs/here/workloads", body, "application/json")
    found = json.loads(mine.get("/api/v1/orgs/here/audit").content)["results"]
    assert [(row["action"], row["actor"]) for row in found] == [("workload.submit", "mine")]
    for query in ({"action": "config"}, {"action": ["config", "queue"]}, {"subject": "default"}):
        answer = mine.get("/api/v1/orgs/here/audit", query)
        assert json.loads(answer.content)["results"] == []
    lines = b"".join(mine.get(("/api/v1/orgs/here/audit"), {("as"): ("ndjson")}).streaming_content)  # type: ignore[arg-type]
    assert len(lines.splitlines()) == 1


def test_an_export_can_be_verified_without_the_product(list_actions, client) -> None:
    seal_audit()
    answer = client.client.get(f"{client.org}/audit", {"as": "ndjson"})
    lines = b"".join(answer.streaming_content).decode().splitlines()
    found = verify_lines(map(json.loads, lines))
    assert (found.first, found.last, found.broken, found.unsealed) == (1, 6, None, 0)
    answer = client.client.get(f"{client.org}/audit", {"as": "csv", "action": "queue"})
    (row,) = csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode()))
    assert (row["action"], row["subject"], json.loads(row["after"])["reason"]) == (
        "queue.hold",
        "default",
        "x",
    )
    assert client.get("audit", **{"as": "xlsx"}).problem == (400, "invalid_request")


def test_the_documented_program_finds_the_same_entries(list_actions, client) -> None:
    documentation = (Path(__file__).parents[2] / "docs" / "events-and-audit.md").read_text("utf-8")
    program = documentation.partition("```python\n")[2].partition("```")[0]
    seal_audit()
    answer = client.client.get(f"{client.org}/audit", {"as": "ndjson"})
    lines = b"".join(answer.streaming_content).decode().splitlines()

    def verified(some: list[str]) -> bool:
        command = [sys.executable, "-c", program]
        text = "\n".join(some)
        return not subprocess.run(
            command, input=text, text=True, check=False, capture_output=True
        ).returncode

    assert verified(lines)
    assert verified(lines[:3])
    assert not verified([*lines[:2], *lines[3:]])
    assert not verified([lines[0].replace("viewer@", "reader@"), *lines[1:]])
