"""Authentication and authorization in the client's protocol, and the texts of refusals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from console.orgs.models import Role
from console.orgs.services.issue_token import issue_token
from tests.api.compat.conftest import CONFIG, Compat


def carrying(cookie: str) -> Client:
    """Return a client that sends *cookie* as its token."""
    client = Client()
    client.cookies["cli_token"] = cookie
    return client


@pytest.mark.parametrize("token", ["", "aslu_unknown", "sss_x", "ä"])
def test_a_wrong_token_is_refused(db: None, token: str) -> None:
    response = carrying(token).get("/api/v2/userinfo/")
    assert response.status_code == 401
    assert response.json()["error"]["detail"] == (
        "This token is unknown, expired or revoked; set ANYSCALE_CLI_TOKEN to another one."
    )
    assert response.headers["WWW-Authenticate"] == 'Bearer realm="api"'


@pytest.mark.parametrize("role", ["viewer", "editor"])
def test_a_refused_apply_names_the_required_role(org: Any, role: str) -> None:
    client = carrying(issue_token(org, role, role))
    response = client.post("/api/v2/scheduler/config", {"config": CONFIG}, "application/json")
    assert response.status_code == 403
    assert response.json()["error"]["detail"] == (
        f"The role {role} may not apply configs; ask an owner for one of: owner."
    )


def test_a_bearer_token_takes_precedence_over_the_cookie(org: Any) -> None:
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


#: A host with a trailing slash; without it the test client would take `//...` for another host.
SLASHED = "http://testserver/"

#: Addresses of both protocols that the product does not serve.
UNSERVED = [
    *("/api/v2", "/api/v2/", "/api/v2/decorated_jobs/", "/api/v2/scheduler"),
    *("/ext/v0", "/ext/v0/", "/ext/v0/clouds", "/ext/v0/scheduler/queues"),
    *(f"{SLASHED}/api/v2/nothing", f"{SLASHED}/ext/v0/clouds", f"{SLASHED}/ext/v0"),
]


@pytest.mark.parametrize("path", UNSERVED)
@pytest.mark.parametrize("method", ["get", "head", "post", "put", "patch", "delete", "options"])
def test_unserved_paths_answer_404_as_json(org: Any, path: str, method: str) -> None:
    sentence = (
        "Sluice implements only the scheduler's part of the anyscale client's protocol: "
        "the commands of anyscale scheduler config, and reading queues, workloads and events."
    )
    client = carrying(issue_token(org, Role.VIEWER, "viewer"))
    for asker, status, said in (
        (client, 404, {"code": "not_found", "detail": sentence}),
        (carrying("aslu_unknown"), 401, None),
        (Client(), 401, None),
    ):
        answer = getattr(asker, method)(path)
        assert (answer.status_code, answer.headers["Content-Type"]) == (status, "application/json")
        if method != "head":
            error = answer.json()["error"]
            assert error == said or (said is None and error.keys() == {"code", "detail"})


@pytest.mark.parametrize("path", ["/scheduler/config", "/userinfo/", "/scheduler/events"])
def test_an_unsupported_method_answers_405_as_json(org: Any, path: str) -> None:
    client = carrying(issue_token(org, Role.OWNER, "owner"))
    answer = client.delete(f"/api/v2{path}")
    assert (answer.status_code, answer.headers["Content-Type"]) == (405, "application/json")
    assert answer.json()["error"] == {
        "code": "method_not_allowed",
        "detail": 'Method "DELETE" not allowed.',
    }


def test_a_host_with_a_trailing_slash_is_accepted(org: Any) -> None:
    client = carrying(issue_token(org, Role.VIEWER, "viewer"))
    assert (
        client.get(f"{SLASHED}/api/v2/userinfo/").json() == client.get("/api/v2/userinfo/").json()
    )
    events = client.get(f"{SLASHED}/ext/v0/scheduler/events")
    assert events.json() == client.get("/ext/v0/scheduler/events").json()


@pytest.mark.parametrize("number", ["-1", "0", "x", "1.5", "+1", "٣", "9" * 30])
def test_an_invalid_version_number_is_refused(owner_client: Compat, number: str) -> None:
    sentence = (
        f'version: "{number}" is not the number of a version. Versions are numbered from '
        "1; list the versions to find a number."
    )
    assert owner_client.get(f"scheduler/config/versions/{number}").error == (400, sentence)


@pytest.mark.parametrize(
    ("path", "query", "line"),
    [
        (
            "overview",
            {"limit": 1},
            "limit: limit is not a parameter of this endpoint; known parameters: none.",
        ),
        ("queues", {"limit": 0}, "limit: limit has to be an integer from 1 to 200."),
        ("queues", {"limit": 201}, "limit: limit has to be an integer from 1 to 200."),
        (
            "queues",
            {"paging_token": "x"},
            (
                "paging_token: The paging_token is invalid; use next_paging_token of the "
                "previous response."
            ),
        ),
        ("config/versions", {"count": 51}, "count: count has to be an integer from 0 to 50."),
        ("events", {"count": 101}, "count: count has to be an integer from 0 to 100."),
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
            "user_id: user_id is repeated; send it once.",
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
        ("top-consumers", {"limit": 101}, "limit: limit has to be an integer from 1 to 100."),
        (
            "top-consumers",
            {"queue_id": "\0"},
            "queue_id: queue_id has to be at most 500 characters without NUL.",
        ),
        ("queues/team/train/workloads", {}, "state: Use one of: pending, running."),
        (
            "queues/team/train/workloads",
            {"state": "RUNNING", "limit": 1001},
            "limit: limit has to be an integer from 1 to 1000.",
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
def test_an_unknown_queue_answers_404(owner_client: Compat, path: str) -> None:
    status, detail = owner_client.get(f"scheduler/{path}").error
    sentence = "There is no queue 'nothing' in the active config of here."
    assert (status, detail) == (404, sentence)
