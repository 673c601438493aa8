"""Fixtures: a client that checks every answer against the OpenAPI document."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest
from django.test import Client
from django.urls import resolve
from drf_spectacular.generators import SchemaGenerator
from jsonschema import Draft202012Validator

from console.configs.models import ImpactRun
from console.orgs.models import ApiToken, Invitation, Membership, Role
from console.orgs.permissions import Actor
from console.orgs.services.create_user import create_user
from console.orgs.services.invite import invite
from console.orgs.services.issue_token import issue_token
from console.webhooks.models import Delivery, Webhook
from console.workloads.models import Workload
from tests.api.documents import OPEN
from tests.conftest import PASSWORD, settled

BASE = "/api/v1"


@dataclass(frozen=True)
class Answer:
    """A response with its decoded body."""

    status: int
    body: Any
    headers: Any

    @property
    def problem(self) -> tuple[int, str]:
        """The status and code of a problem document."""
        return self.status, self.body["code"]


class Api:
    """A JSON client of one organization with one actor's token."""

    def __init__(self, client: Client, org: str) -> None:
        self.client = client
        self.org = f"{BASE}/orgs/{org}"

    def get(self, path: str = "", **query: Any) -> Answer:
        """GET a path of the organization."""
        return self.call("get", path, query)

    def post(self, path: str, body: Any = None, **headers: str) -> Answer:
        """POST a value as JSON, or text or bytes unchanged."""
        raw = body if isinstance(body, str | bytes) else json.dumps({} if body is None else body)
        return self.call("post", path, raw, content_type="application/json", headers=headers)

    def put(self, path: str, body: Any) -> Answer:
        """PUT a JSON value at a path of the organization."""
        return self.call("put", path, json.dumps(body), content_type="application/json")

    def patch(self, path: str, body: Any) -> Answer:
        """PATCH a path of the organization with a JSON value."""
        return self.call("patch", path, json.dumps(body), content_type="application/json")

    def delete(self, path: str) -> Answer:
        """DELETE a path of the organization."""
        return self.call("delete", path)

    def call(self, method: str, path: str, data: Any = None, **options: Any) -> Answer:
        """Send a request and check its answer against the document."""
        address = path if path.startswith(BASE) else f"{self.org}/{path}".rstrip("/")
        response = getattr(self.client, method)(address, data, **options)
        body = json.loads(response.content)
        check_shape(address.partition("?")[0], method, response, body)
        return Answer(response.status_code, body, response.headers)


def check_shape(path: str, method: str, response: Any, body: Any) -> None:
    """Fail unless the answer matches the OpenAPI document."""
    kind = response.headers["Content-Type"]
    if response.status_code >= 400:
        assert kind == "application/problem+json"
        expected = {"type", "title", "status", "detail", "code"}
        assert expected <= body.keys()
        assert body["status"] == response.status_code
        assert body["type"] == f"urn:sluice:problem:{body['code']}"
    else:
        assert kind == "application/json"
    operation = _operation(path, method)
    if operation is None:
        assert response.status_code >= 400
        return
    if response.status_code == 405:
        return
    described = operation["responses"][str(response.status_code)]
    _validator(json.dumps(described["content"][kind]["schema"])).validate(body)


def _operation(path: str, method: str) -> Any:
    route = resolve(path).route.removeprefix("api/v1/")
    for converter in ("str:", "path:", "int:"):
        route = route.replace(f"<{converter}", "{")
    template = f"{BASE}/{route.replace('>', '}')}"
    return document()["paths"].get(template, {}).get(method)


@cache
def document() -> dict[str, Any]:
    """Return the OpenAPI document with its schemas converted to current JSON Schema."""
    return _modern(SchemaGenerator().get_schema(request=None, public=True))


@cache
def _validator(schema: str) -> Draft202012Validator:
    whole = {**json.loads(schema), "components": document()["components"]}
    return Draft202012Validator(whole)


def _modern(schema: Any) -> Any:
    """Convert OpenAPI 3.0's ``nullable`` to JSON Schema, and forbid undescribed properties."""
    if isinstance(schema, list):
        return [_modern(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    new = {key: _modern(value) for key, value in schema.items() if key != "nullable"}
    if new.get("type") == "object" and "properties" in new:
        new.setdefault("additionalProperties", False)
    return {"anyOf": [new, {"type": "null"}]} if schema.get("nullable") is True else new


@pytest.fixture
def api(api_for: Callable[[Actor], Client]) -> Callable[[Actor], Api]:
    """Return a function that returns a client with a token of the actor's organization and role."""
    return lambda actor: Api(api_for(actor), actor.org.slug)


@pytest.fixture
def furnished(api: Callable[[Actor], Api], owner: Actor) -> None:
    """Create one object of every kind that an address may name."""
    furnish(api(owner), owner)


def furnish(client: Api, owner: Actor) -> None:
    """Create one object of every kind in the organization of *owner*, using their client."""
    client.post("config/versions", {"text": OPEN, "expected_version": 0})
    client.post("workloads", {"workloads": [{"name": "running"}]})
    settled(owner.org)
    Workload.objects.update(uid="w")
    client.post("config/impact", {"text": OPEN})
    ImpactRun.objects.update(id=1)
    hook = Webhook.objects.create(pk=4000, org=owner.org, name="hook", url="https://8.8.8.8/")
    Delivery.objects.create(webhook=hook, uid="told", kind="test", summary="A test", body="{}")

    person = create_user("somebody@here.example", PASSWORD)
    Membership.objects.create(pk=4000, org=owner.org, user=person, role=Role.VIEWER)
    invited = invite(owner, "invited@here.example", Role.VIEWER).invitation
    Invitation.objects.filter(pk=invited.pk).update(id=4000)
    issue_token(owner.org, Role.VIEWER, "the one")
    ApiToken.objects.filter(name="the one").update(id=4000)
