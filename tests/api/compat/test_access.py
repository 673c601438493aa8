"""Who may do what over the client's protocol, and how a refusal is worded."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, reverse
from django.utils import timezone

from console.api.compat import urls
from console.configs.models import ConfigVersion
from console.orgs.models import Organization, Role
from console.orgs.permissions import Actor
from console.orgs.services.issue_token import issue_token
from console.orgs.services.revoke_token import revoke_secret
from tests.api.compat.conftest import CONFIG, Compat, make_busy
from tests.standing import standing_org

READERS = frozenset(Role.values)
OWNERS = frozenset({Role.OWNER})


@dataclass(frozen=True)
class Case:
    """One address with one method: who may, and what they get."""

    name: str
    method: str
    path: str
    roles: frozenset[str] = READERS
    status: int = 200
    body: Any = None


CASES = [
    Case("userinfo", "get", "userinfo/"),
    Case("usage", "post", "cli_usage/", body={"cmd_path": "anyscale"}),
    Case("config", "get", "scheduler/config"),
    Case("config", "post", "scheduler/config", OWNERS, body={"config": CONFIG}),
    Case("versions", "get", "scheduler/config/versions"),
    Case("version", "get", "scheduler/config/versions/1"),
    Case("rollback", "post", "scheduler/config/rollback", OWNERS, 409, {"version": 1}),
    Case("validate", "post", "scheduler/config/validate", body={"config": CONFIG}),
    Case("preview", "post", "scheduler/config/preview", body={"config": CONFIG}),
    Case("overview", "get", "scheduler/overview"),
    Case("queues", "get", "scheduler/queues"),
    Case("queue", "get", "scheduler/queues/team/train"),
    Case("queue-workloads", "get", "scheduler/queues/team/train/workloads?state=RUNNING"),
    Case("events", "get", "scheduler/events"),
    Case("top-consumers", "get", "scheduler/top-consumers?queue_id=team/train"),
]
_ARGUMENTS: dict[str, dict[str, Any]] = {
    "version": {"number": 1},
    "queue": {"queue": "team/train"},
    "queue-workloads": {"queue": "team/train"},
}
EVERY = pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.method} {case.name}")


org, owner = standing_org()


@pytest.fixture(scope="module")
def made(org: Organization, owner: Actor) -> dict[str, str]:
    """Its workloads; ids by name."""
    return make_busy(org, owner)


@pytest.fixture
def busy(made: dict[str, str], db: None) -> dict[str, str]:
    """Return them; what a test does to them is undone."""
    return made


def ask(client: Client, case: Case) -> tuple[int, Any]:
    """Return status and body of what *client* gets."""
    body = () if case.body is None else (json.dumps(case.body), "application/json")
    response = getattr(client, case.method)(f"/api/v2/{case.path}", *body)
    return response.status_code, json.loads(response.content)


def carrying(cookie: str) -> Client:
    """Return a client that sends *cookie* as its token."""
    client = Client()
    client.cookies["cli_token"] = cookie
    return client


def test_every_address_is_in_the_table() -> None:
    names = {pattern.name for pattern in urls.urlpatterns if isinstance(pattern, URLPattern)}
    assert {case.name for case in CASES} == names - {"no-such-address"}
    assert {f"/api/v2/{case.path.partition('?')[0]}" for case in CASES} == {
        reverse(f"compat:{case.name}", kwargs=_ARGUMENTS.get(case.name)) for case in CASES
    }


@EVERY
def test_nobody_gets_nothing(db: None, case: Case) -> None:
    status, body = ask(Client(), case)
    assert (status, body["error"]["code"]) == (401, "not_authenticated")


@EVERY
def test_a_session_is_no_token(db: None, owner: Any, client_for: Any, case: Case) -> None:
    """A browser would send its session for whoever asks it to; the cookie it never has."""
    assert ask(client_for(owner), case)[0] == 401


@pytest.mark.parametrize("role", Role.values)
@EVERY
def test_each_role_may_do_its_part(busy: Any, org: Any, case: Case, role: str) -> None:
    status, body = ask(carrying(issue_token(org, role, role)), case)
    if role in case.roles:
        assert status == case.status, body
    else:
        assert status == 403
        assert body["error"]["detail"] == (
            f"The role {role} may not apply configs; ask an owner for one of: owner."
        )
        assert ConfigVersion.objects.count() == 1


@EVERY
def test_a_token_sees_its_own_organization_alone(
    busy: dict[str, str], other_org: Any, case: Case
) -> None:
    if case.method == "post":
        return
    client = carrying(issue_token(other_org, Role.OWNER, "elsewhere"))
    _, body = ask(client, case)
    said = json.dumps(body)
    assert not any(word in said for word in ("a100", *busy.values(), '"here"'))


@pytest.mark.parametrize("method", ["put", "patch", "delete"])
@EVERY
def test_other_methods_are_refused(owner_client: Compat, case: Case, method: str) -> None:
    status, _ = owner_client.call(method, case.path).error
    assert status == 405


@pytest.mark.parametrize("token", ["", "aslu_unknown", "sss_x", "ä"])
def test_a_wrong_token_is_refused(db: None, token: str) -> None:
    response = carrying(token).get("/api/v2/userinfo/")
    assert response.status_code == 401
    assert response.json()["error"]["detail"] == (
        "This token is unknown, expired or revoked; set ANYSCALE_CLI_TOKEN to another one."
    )
    assert response.headers["WWW-Authenticate"] == 'Bearer realm="api"'


def test_expired_and_revoked_tokens_are_refused(org: Any) -> None:
    expired = issue_token(org, Role.OWNER, "old", expires_at=timezone.now() - timedelta(1))
    revoked = issue_token(org, Role.OWNER, "lost")
    revoke_secret(revoked)
    for secret in (expired, revoked):
        assert carrying(secret).get("/api/v2/userinfo/").status_code == 401


def test_a_bearer_token_works_too_and_comes_first(org: Any) -> None:
    secret = issue_token(org, Role.VIEWER, "looker")
    bearer = Client(headers={"authorization": f"Bearer {secret}"})
    bearer.cookies["cli_token"] = "aslu_unknown"
    assert bearer.get("/api/v2/userinfo/").json()["result"]["id"] == "looker"


@pytest.mark.parametrize(("role", "level"), [("owner", "owner"), ("viewer", "collaborator")])
def test_userinfo(compat: Callable[[str], Compat], role: str, level: str) -> None:
    assert compat(role).get("userinfo/").result == {
        "id": role,
        "email": "",
        "name": role,
        "username": role,
        "verified": True,
        "organization_permission_level": level,
        "organization_ids": ["here"],
        "organizations": [
            {
                "id": "here",
                "name": "Here",
                "public_identifier": "here",
                "is_general_platform_enabled": False,
                "is_private_endpoints_enabled": False,
                "is_usage_blocked": False,
            }
        ],
        "ld_hash": "",
        "ld_hash_fields": [],
        "pylon_hash": "",
    }


def test_the_rest_of_the_protocol_is_not_spoken(owner_client: Compat) -> None:
    sentence = (
        "Sluice speaks the scheduler's part of the anyscale client's protocol alone: anyscale "
        "scheduler config, and reading queues, workloads and events."
    )
    for path in ("", "decorated_jobs/", "scheduler", "scheduler/config/versions/x"):
        assert owner_client.get(path).error == (404, sentence)


@pytest.mark.parametrize(
    ("path", "query", "line"),
    [
        ("overview", {"limit": 1}, "limit: limit is not known here; this address knows: none."),
        ("queues", {"limit": 0}, "limit: limit has to be a whole number from 1 to 200."),
        ("queues", {"limit": 201}, "limit: limit has to be a whole number from 1 to 200."),
        (
            "queues",
            {"paging_token": "x"},
            (
                "paging_token: This is not a token of this list; use next_paging_token of its last "
                "answer."
            ),
        ),
        ("config/versions", {"count": 51}, "count: count has to be a whole number from 0 to 50."),
        ("events", {"count": 101}, "count: count has to be a whole number from 0 to 100."),
        ("events", {"order_desc": "maybe"}, "order_desc: order_desc has to be true or false."),
        (
            "events",
            {"level": ["INFO", "LOUD"]},
            (
                "level: level has to be some of: INFO, WARNING, ERROR, TRACE, DEBUG, CRITICAL, "
                "UNKNOWN."
            ),
        ),
        (
            "events",
            {"user_id": ["a", "b"]},
            "user_id: user_id is there twice; only one value would count.",
        ),
        (
            "events",
            {"start_time": "soon"},
            "start_time: start_time has to be a time such as 2026-01-31T12:00:00Z.",
        ),
        (
            "events",
            {"queue_name": ["a\0", "b"]},
            "queue_name: queue_name has to be at most 500 characters without NUL.",
        ),
        ("top-consumers", {"limit": 101}, "limit: limit has to be a whole number from 1 to 100."),
        (
            "top-consumers",
            {"queue_id": "\0"},
            "queue_id: queue_id has to be at most 500 characters without NUL.",
        ),
        ("queues/team/train/workloads", {}, "state: This has to be one of: pending, running."),
        (
            "queues/team/train/workloads",
            {"state": "RUNNING", "limit": 1001},
            "limit: limit has to be a whole number from 1 to 1000.",
        ),
    ],
)
def test_bad_parameters_are_named(
    owner_client: Compat, path: str, query: dict[str, Any], line: str
) -> None:
    assert owner_client.get(f"scheduler/{path}", **query).error == (400, line)


@pytest.mark.parametrize(
    "path",
    ["queues/nothing", "queues/nothing/workloads?state=running", "top-consumers?queue_id=nothing"],
)
def test_a_queue_that_is_not_there(owner_client: Compat, path: str) -> None:
    status, detail = owner_client.get(f"scheduler/{path}").error
    sentence = "There is no queue 'nothing' in the active config of here."
    assert (status, detail) == (404, sentence)
