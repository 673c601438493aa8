"""Size limits of request bodies: every text, list and map in the OpenAPI document."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.files.uploadhandler import MemoryFileUploadHandler, TemporaryFileUploadHandler
from django.test import Client
from django.utils import timezone

from console.api.body import LARGEST
from console.orgs.permissions import Actor
from tests.api.conftest import Answer, Api, document, furnish
from tests.pages.page import read_page

#: More than any text, list or map may contain, but far below the size limit of a body.
CHARACTERS, ITEMS = 10_000, 2_000
#: More characters than a config text may have.
CONFIG_CHARACTERS = 1_100_000

#: A key, an index, or "" for an arbitrary key.
Step = str | int
#: The kind of excess, and the path in the body.
Place = tuple[str, tuple[Step, ...]]

#: Additional fields that a body needs before the place in it is read.
BESIDE = {
    "/workloads": {"workloads": [{"name": "one"}]},
    "/config/expectations": {"expectations": [{"name": "one", "state": "rejected", "labels": {}}]},
}


@pytest.fixture
def client(api: Callable[[Actor], Api], owner: Actor) -> Api:
    """Return a client of the owner of an organization with one object of each kind."""
    found = api(owner)
    furnish(found, owner)
    return found


def operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield method, address below the organization and body schema of operations with a body."""
    for path, methods in document()["paths"].items():
        for method, operation in methods.items():
            if "requestBody" in operation:
                content = operation["requestBody"]["content"]["application/json"]
                yield method, path.partition("{org}")[2], content["schema"]


def resolved(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema that *schema* refers to, without its nullable variant."""
    while True:
        if "$ref" in schema:
            schema = document()["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        elif "allOf" in schema:
            (schema,) = schema["allOf"]
        elif "anyOf" in schema or "oneOf" in schema:
            schema = (schema.get("anyOf") or schema["oneOf"])[0]
        else:
            return schema


def places(schema: dict[str, Any], steps: tuple[Step, ...] = ()) -> Iterator[Place]:
    """Yield every place in *schema* that could be too large."""
    schema = resolved(schema)
    match schema.get("type"):
        case "string" if "enum" not in schema:
            yield "text", steps
        case "array":
            yield "list", steps
            yield from places(schema["items"], (*steps, 0))
        case "object" if isinstance(schema.get("additionalProperties"), dict):
            yield "map", steps
            yield "key", steps
            yield from places(schema["additionalProperties"], (*steps, ""))
        case "object":
            for name, inner in schema.get("properties", {}).items():
                yield from places(inner, (*steps, name))


def minimal_value(schema: dict[str, Any]) -> Any:
    """Return a minimal value of *schema*."""
    schema = resolved(schema)
    if "enum" in schema:
        return schema["enum"][0]
    match schema.get("type"):
        case "object":
            required = schema.get("required", ())
            return {name: minimal_value(schema["properties"][name]) for name in required}
        case "array":
            return [minimal_value(schema["items"])] if schema.get("minItems") else []
        case "string" if schema.get("format") == "email":
            return "a@b.example"
        case "string" if schema.get("format") == "date-time":
            return (timezone.now() + timedelta(days=1)).isoformat()
        case "string":
            return "a"
        case "boolean":
            return True
        case _:
            return max(1, schema.get("minimum", 1))


def with_excess(
    schema: dict[str, Any], place: Place, value: Any, *, is_config: bool = False
) -> Any:
    """Return *value*, an instance of *schema*, with an excess at *place*."""
    kind, steps = place
    schema = resolved(schema)
    if steps:
        step, rest = steps[0], (kind, steps[1:])
        if isinstance(step, int):
            return [
                with_excess(schema["items"], rest, (value or [minimal_value(schema["items"])])[0])
            ]
        if step == "":
            inner = schema["additionalProperties"]
            return {"some": with_excess(inner, rest, minimal_value(inner))}
        inner = schema["properties"][step]
        before = value.get(step, minimal_value(inner))
        return {**value, step: with_excess(inner, rest, before, is_config=step == "text")}
    match kind:
        case "text":
            return "x" * (CONFIG_CHARACTERS if is_config else CHARACTERS)
        case "list":
            item = minimal_value(schema["items"])
            return [deepcopy(item) for _ in range(ITEMS)]
        case "map":
            inner = minimal_value(schema["additionalProperties"])
            return {f"k{number}": inner for number in range(ITEMS)}
        case _:
            return {"x" * CHARACTERS: minimal_value(schema["additionalProperties"])}


def error_path(steps: tuple[Step, ...]) -> str:
    """Return *steps* as a path in errors, without arbitrary keys."""
    path = ""
    for step in steps:
        path += f"[{step}]" if isinstance(step, int) else f".{step}" if step else ""
    return path.removeprefix(".")


def is_refused(answer: Answer, path: str) -> bool:
    """Return whether *answer* names *path*, or says that a config text is too large."""
    findings = answer.body.get("diagnostics", [])
    if path == "text" and [each["code"] for each in findings] == ["YML004"]:
        return True
    named = [each for each in answer.body.get("errors", []) if each["path"].startswith(path)]
    return answer.status == 400 and bool(named)


def test_every_text_list_and_map_has_a_size_limit(client: Api) -> None:
    """Each excess is refused with its path, in an answer of bounded size."""
    asked, wrong = 0, {}
    for method, path, schema in operations():
        filled = path
        for name, value in {
            "uid": "w",
            "queue": "all",
            "run": "1",
            "delivery": "told",
            "name": "east",
        }.items():
            filled = filled.replace(f"{{{name}}}", value)
        filled = filled.replace("{number}", "4000").removeprefix("/")
        for place in places(schema):
            body = with_excess(schema, place, {**minimal_value(schema), **BESIDE.get(path, {})})
            answer = getattr(client, method)(filled, body)
            asked += 1
            small = len(str(answer.body)) < 100_000
            if not (is_refused(answer, error_path(place[1])) and small):
                wrong[method, path, *place] = (answer.status, str(answer.body)[:300])
    assert wrong == {}
    assert asked > 60


def test_a_body_has_a_size_limit(client: Api) -> None:
    answer = client.post("workloads", b" " * (LARGEST + 1))
    assert answer.problem == (413, "payload_too_large")
    assert (
        answer.body["detail"]
        == "A request body has at most 8 MiB; split the data into several requests."
    )


@pytest.mark.parametrize("path", ["/login", "/o/here/config/drafts", "/api/v1/orgs/here/workloads"])
def test_a_form_with_files_has_the_same_limit_and_is_not_stored(
    path: str,
    owner: Actor,
    client_for: Callable[[Actor], Client],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kept: list[int] = []
    for handler in (TemporaryFileUploadHandler, MemoryFileUploadHandler):
        monkeypatch.setattr(
            handler, "receive_data_chunk", lambda self, data, start: kept.append(len(data))
        )
    browser = client_for(owner)
    # Forms are parsed for their CSRF token before the sender is known.
    browser.handler.enforce_csrf_checks = True
    browser.cookies["sluice_csrf"] = "c" * 32
    answer = browser.post(path, {"file": SimpleUploadedFile("a.yaml", b"x" * LARGEST)})
    assert answer.status_code == (413 if path.startswith("/api") else 400)
    assert kept == []


@pytest.mark.parametrize(
    "path", ["/login", "/o/here/queues/all", "/o/here/workloads/new", "/o/here/config/drafts"]
)
def test_a_form_has_a_size_limit(
    path: str, owner: Actor, client_for: Callable[[Actor], Client]
) -> None:
    answer = client_for(owner).post(
        path, urlencode({"text": "x" * LARGEST}), content_type="application/x-www-form-urlencoded"
    )
    assert (answer.status_code, read_page(answer).all("h1")[0].text) == (
        400,
        "The request has errors",
    )
