"""
Random requests drawn from the OpenAPI document, valid and invalid ones.

The engine handles the accepted ones. REQUESTS=60 draws that many for each operation, with a
random seed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Final
from urllib.parse import quote, urlencode

import pytest
import schemathesis
from django.db import transaction
from django.test import Client
from drf_spectacular.generators import SchemaGenerator
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st
from pytest_django.plugin import DjangoDbBlocker
from schemathesis import Case, GenerationMode
from schemathesis.core import NOT_SET

from console.orgs.models import Organization, Role
from console.orgs.permissions import Actor
from console.orgs.services.issue_token import create_token
from tests.api.conftest import check_shape
from tests.conftest import member
from tests.intake_results import apply_all_intake, read_back
from tests.permissions.example_orgs import furnish

#: Number of requests for each operation.
DRAWN: Final = int(os.environ.get("REQUESTS", "4"))

#: Content types other than JSON.
FILES: Final = ("text/", "application/x-ndjson")

#: Path segment -> key in the result of `furnish` of the object whose name follows.
THINGS: Final = {
    "orgs": "org",
    "queues": "queue",
    "cohorts": "cohort",
    "clusters": "cluster",
    "workloads": "stopped",
    "preemptions": "preemption",
    "versions": "version",
    "scheduled": "change",
    "impact": "impact",
    "reviews": "review",
    "invitations": "invitation",
    "members": "member",
    "tokens": "token",
    "views": "view",
    "webhooks": "webhook",
    "deliveries": "delivery",
}


@cache
def operations() -> dict[str, Any]:
    """Return all operations of the document by method and path."""
    document = SchemaGenerator().get_schema(request=None, public=True)
    found = schemathesis.openapi.from_dict(json.loads(json.dumps(document)))
    return {each.ok().label: each.ok() for each in found.get_all_operations()}


@pytest.fixture(scope="module")
def names(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[dict[str, object]]:
    """Furnish an organization and return its objects by name; rolled back at the end."""
    with django_db_blocker.unblock(), transaction.atomic():
        found = furnish("orchard", 3)
        owner = member(Organization.objects.get(slug=found["org"]), Role.OWNER)
        apply_all_intake()
        yield {**found, "owner": owner}
        transaction.set_rollback(True)


@pytest.fixture
def client(names: dict[str, object], db: None) -> Client:
    """Return a client with an owner's token, which permits everything."""
    boss = Actor.from_command(Organization.objects.get(slug=names["org"]))
    secret = create_token(boss, Role.OWNER, "contract").secret
    return Client(headers={"authorization": f"Bearer {secret}"}, raise_request_exception=True)


@pytest.fixture
def browser(names: dict[str, object], client_for: Callable[[Actor], Client]) -> Client:
    """Return a browser in which an owner is signed in."""
    return client_for(names["owner"])


@pytest.mark.parametrize("label", sorted(operations()))
def test_any_request_is_answered_as_described_and_carried_out(
    label: str, client: Client, browser: Client, names: dict[str, object]
) -> None:
    operation = operations()[label]
    drawn = [operation.as_strategy(generation_mode=mode) for mode in GenerationMode]

    @settings(
        max_examples=DRAWN,
        derandomize="REQUESTS" not in os.environ,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.one_of(drawn), st.booleans())
    def ask(case: Case, is_known: bool) -> None:
        path = _path(case, names if is_known else {})
        body = _body(case)
        note(f"{case.method} {path} {body!r}")
        # The changes of each request are rolled back before the next one.
        with transaction.atomic():
            kind = case.media_type or "application/json"
            response = client.generic(case.method, path, body, content_type=kind)
            read_back(apply_all_intake(), client, browser)
            transaction.set_rollback(True)
        assert response.status_code < 500
        kind = response.headers["Content-Type"]
        text = b"".join(response) if response.streaming else response.content
        if kind.startswith(FILES):
            described = operation.definition.raw["responses"][str(response.status_code)]
            assert kind.partition(";")[0] in described["content"]
        else:
            check_shape(path.partition("?")[0], case.method.lower(), response, json.loads(text))

    ask()


def _path(case: Case, names: dict[str, object]) -> str:
    """Return the address of *case*; with *names*, its parameters name existing objects."""
    parts: list[str] = []
    for part in case.operation.full_path.split("/"):
        if not part.startswith("{"):
            parts.append(part)
            continue
        drawn = (case.path_parameters or {}).get(part.strip("{}"), "")
        parts.append(quote(str(names.get(THINGS[parts[-1]], drawn)), safe=""))
    query = urlencode(case.query or {}, doseq=True)
    return "/".join(parts) + (f"?{query}" if query else "")


def _body(case: Case) -> bytes:
    """Return the body of *case*, which may be bytes that are not JSON."""
    if case.body is NOT_SET:
        return b""
    if isinstance(case.body, str) and case.media_type != "application/json":
        return case.body.encode("utf-8", "surrogatepass")
    return case.body if isinstance(case.body, bytes) else json.dumps(case.body).encode()
