"""Fixtures: a client that sends its token in a cookie, like the anyscale client."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from django.test import Client

from console.orgs.models import Organization, Role
from console.orgs.permissions import Actor
from console.orgs.services.issue_token import issue_token
from tests.api.conftest import Api
from tests.conftest import settled, with_token

BASE = "/api/v2"

#: Training may use two gpu on spot machines; all other work except idle runs without quota.
CONFIG: dict[str, Any] = {
    "resource_flavors": [
        {
            "name": "a100",
            "selector": [{"key": "market-type", "operator": "in", "values": ["SPOT"]}],
        }
    ],
    "resource_queues": [
        {
            "name": "team/train",
            "resource_groups": [
                {
                    "covered_resources": ["gpu"],
                    "flavors": [
                        {"name": "a100", "resources": [{"name": "gpu", "nominal_quota": 2}]}
                    ],
                }
            ],
        },
        {"name": "rest"},
    ],
    "scheduling_rules": [
        {
            "selector": [{"key": "team", "operator": "in", "values": ["a"]}],
            "resource_queue": "team/train",
        },
        {
            "selector": [{"key": "idle", "operator": "does_not_exist"}],
            "resource_queue": "rest",
        },
    ],
}


@dataclass(frozen=True)
class Answer:
    """A response with its decoded body."""

    status: int
    body: Any
    headers: Any

    @property
    def result(self) -> Any:
        """The requested object."""
        assert self.status == 200, self.body
        assert self.body.keys() == {"result"}
        return self.body["result"]

    @property
    def results(self) -> Any:
        """The objects of a page."""
        assert self.status == 200, self.body
        assert self.body.keys() == {"results", "metadata"}
        return self.body["results"]

    @property
    def page(self) -> tuple[int, str | None]:
        """The total and the token of the next page."""
        metadata = self.body["metadata"]
        assert metadata.keys() == {"total", "next_paging_token"}
        return metadata["total"], metadata["next_paging_token"]

    @property
    def error(self) -> tuple[int, str]:
        """The status and the error text that the client shows."""
        assert self.body.keys() == {"error"}
        return self.status, self.body["error"]["detail"]


class Compat:
    """A client of the protocol with one token."""

    def __init__(self, token: str) -> None:
        self._client = Client()
        self._client.cookies["cli_token"] = token

    def get(self, path: str, **query: Any) -> Answer:
        """GET a path."""
        return self._answer(self._client.get(f"{BASE}/{path}", query))

    def outside(self, path: str, **query: Any) -> Answer:
        """GET a path of the external API."""
        return self._answer(self._client.get(f"/ext/v0/{path}", query))

    def post(self, path: str, body: Any) -> Answer:
        """POST a value as JSON, or a text unchanged."""
        raw = body if isinstance(body, str) else json.dumps(body)
        return self._answer(
            self._client.post(f"{BASE}/{path}", raw, content_type="application/json")
        )

    def call(self, method: str, path: str) -> Answer:
        """Send a request of any method."""
        return self._answer(getattr(self._client, method)(f"{BASE}/{path}"))

    def _answer(self, response: Any) -> Answer:
        assert response.headers["Content-Type"] == "application/json"
        return Answer(response.status_code, json.loads(response.content), response.headers)


@pytest.fixture
def compat(org: Organization) -> Callable[[str], Compat]:
    """Return a function that creates a token with a role and returns its client."""
    return lambda role: Compat(issue_token(org, role, role))


@pytest.fixture
def owner_client(compat: Callable[[str], Compat]) -> Compat:
    """Return the client of an owner's token."""
    return compat(Role.OWNER)


@pytest.fixture
def busy(org: Organization, owner: Actor) -> dict[str, str]:
    """Submit a running, a pending, a serving and a rejected workload; return ids by name."""
    return make_busy(org, owner)


def make_busy(org: Organization, owner: Actor) -> dict[str, str]:
    """Apply the config, submit the four workloads and run the engine; return ids by name."""
    client = Compat(issue_token(org, Role.OWNER, Role.OWNER))
    assert client.post("scheduler/config", {"config": CONFIG}).result["version"] == 1
    train = {"tags": {"team": "a"}, "market_type": "SPOT", "requests": {"gpu": 2}, "project": "p"}
    workloads = [
        {"name": "runs", "type": "job", "priority": 7, "instance_type": "a2", **train},
        {"name": "waits", "type": "workspace", **train},
        {"name": "serves", "type": "service", "market_type": "ON_DEMAND"},
        {"name": "idles", "type": "job", "tags": {"idle": "yes"}},
    ]
    api = Api(with_token(owner), org.slug)
    ids = api.post("workloads", {"workloads": workloads}).body["ids"]
    settled(org)
    return dict(zip([each["name"] for each in workloads], ids, strict=True))
