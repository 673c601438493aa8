"""
Hostile texts to every address that accepts one: each answer is valid and bounded.

The engine handles the accepted ones, and each new config gets workloads that request its quota.
FUZZED=500 sends that many to each address, with a random seed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, Final
from urllib.parse import parse_qsl

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, transaction
from django.test import Client
from django.urls import resolve
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from pytest_django.plugin import DjangoDbBlocker

from console.configs.models import ConfigVersion, Draft, ReviewRequest, ScheduledChange
from console.configs.services.apply_config import apply_config
from console.dialects import dialects, source
from console.dialects.assist.tolerant_parser import TolerantParser
from console.engine.model.origin import lines_of
from console.orgs.models import Organization, Role
from console.orgs.permissions import Actor
from console.policies.queries import policy_of
from console.reading import is_storable
from console.workloads.services.submit_workloads import submit_workloads
from tests.api.conftest import document
from tests.conftest import member, with_token
from tests.hostile.endpoints import ENDPOINTS, PAGES_OF_DRAFTS, VALUE_TAKERS, Endpoint
from tests.hostile.texts import BOMBS, bad_texts
from tests.hostile.workloads import workloads_for
from tests.intake_results import apply_all_intake, read_back
from tests.pages.page import complaints, read_page
from tests.permissions.callers import mark_seen
from tests.permissions.example_orgs import CONFIG, furnish
from tests.permissions.sending import rolled_back
from tests.permissions.table import CLIENT, PAGES, Line

#: Number of texts per address.
SENT: Final = int(os.environ.get("FUZZED", "30"))

#: Maximum bytes of an answer without repetitions of the text.
MOST: Final = 2_000_000
#: Maximum repetitions of the text in an answer: in a field, in lines, and highlighted.
REPEATED: Final = 12

DRAWN = settings(
    max_examples=SENT,
    derandomize="FUZZED" not in os.environ,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)

Send = Callable[[Endpoint, str, str], Any]


@pytest.fixture(scope="module")
def names(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[dict[str, Any]]:
    """
    Furnish an organization and return its objects by name; rolled back at the end.

    The base of one draft is outdated: the draft conflicts with changes of the active version.
    """
    with django_db_blocker.unblock(), transaction.atomic():
        found: dict[str, Any] = furnish("orchard", 3)
        org = Organization.objects.get(slug="orchard")
        boss = member(org, Role.OWNER)
        found["boss"] = boss
        text = CONFIG.format(org="orchard")
        late = Draft.objects.get(pk=found["draft"])
        late.pk = None
        late.text = text.replace("default: 50", "default: 40")
        late.save()
        found["late_draft"] = late.pk
        changed = text.replace("default: 50", "default: 60")
        apply_config(boss, "native", changed, "", 3, revert_after=timedelta(hours=1))
        found["version"] = 4
        apply_all_intake()
        mark_seen(timezone.now())
        yield found
        transaction.set_rollback(True)


@pytest.fixture
def clients(names: dict[str, Any], db: None) -> dict[bool, Client]:
    """Return the owner's clients for pages (True) and for the API (False)."""
    boss: Actor = names["boss"]
    browser = Client()
    assert boss.user is not None
    browser.force_login(boss.user)
    api = with_token(boss)
    mark_seen(timezone.now())
    return {True: browser, False: api}


@pytest.fixture
def send(names: dict[str, Any], clients: dict[bool, Client]) -> Send:
    """Return a function that sends a text to an address and checks the answer."""

    def sent(taker: Endpoint, language: str, text: str) -> Any:
        with rolled_back(), writes() as written:
            response = taker.send(clients[taker.is_page], language, text, names)
            content = response.getvalue()
            check_answer(taker, response, content, text)
            if response.status_code >= 400 or not taker.stores:
                assert written == []
            else:
                check_work(names["boss"], clients)
            if response.status_code == 201:
                newer = ConfigVersion.objects.filter(number=5)
                stored = newer.first() or _STORED[taker.path].objects.latest("pk")
                assert stored.text == text
        return response

    return sent


#: Rows of accepted texts that make no version yet, by address.
_STORED: Final = {
    ENDPOINTS["submit for approval"].path: ReviewRequest,
    ENDPOINTS["schedule an apply"].path: ScheduledChange,
}


def check_work(boss: Actor, clients: dict[bool, Client]) -> None:
    """Run the engine on accepted requests, and on workloads that request a new config's quota."""
    read_back(apply_all_intake(), clients[False], clients[True])
    changed = ConfigVersion.objects.filter(org=boss.org, number=5).first()
    asked = workloads_for(policy_of(changed)) if changed is not None else []
    if asked:
        submit_workloads(boss, asked)
        read_back(apply_all_intake(), clients[False], clients[True])


@contextmanager
def writes() -> Iterator[list[str]]:
    """Collect the statements of the block that write rows."""
    written: list[str] = []

    def watch(execute: Callable[..., Any], sql: str, params: Any, many: Any, context: Any) -> Any:
        result = execute(sql, params, many, context)
        if sql.startswith(("INSERT", "UPDATE", "DELETE", "REPLACE")) and context["cursor"].rowcount:
            written.append(sql)
        return result

    with connection.execute_wrapper(watch):
        yield written


def check_answer(taker: Endpoint, response: Any, content: bytes, text: str) -> None:
    """Check size and markup of an answer, and that the positions of findings are in the text."""
    assert response.status_code < 500
    assert len(content) < MOST + REPEATED * len(text)
    assert b"<script>alert" not in content or not _is_shown(response)
    kind = response.headers["Content-Type"]
    if _is_shown(response):
        page = read_page(response)
        # Some addresses answer with a fragment of a page.
        if page.all("html"):
            assert complaints(page) == []
    elif kind.endswith("json"):
        body = json.loads(content)
        # The client's protocol nests problems in one field.
        said = body["error"] if isinstance(body.get("error"), dict) else body
        for finding in (*said.get("diagnostics", ()), *said.get("lints", ())):
            assert "\n" not in finding["message"] + finding["hint"]
            assert len(finding["message"]) < 1_000
            if taker.is_placed:
                check_place(finding["range"], text)
        if response.status_code == 422:
            assert said["code"] == "config_rejected"
            assert said["diagnostics"] != []


def _is_shown(response: Any) -> bool:
    """Return whether a browser would display an answer as a page."""
    return bool(response.headers["Content-Type"].startswith("text/html"))


def check_place(place: dict[str, int], text: str) -> None:
    """Fail unless a position is in the text."""
    lines = lines_of(text)
    start, end = (place["line"], place["column"]), (place["end_line"], place["end_column"])
    assert (1, 1) <= start <= end
    # An empty text has one position; a position may follow the last character of a line.
    assert end[0] <= len(lines) + 1
    for line, column in (start, end):
        assert column <= len(lines[line - 1] if line <= len(lines) else "") + 1


@pytest.mark.parametrize("name", ENDPOINTS)
def test_a_damaged_text_is_answered(name: str, send: Send) -> None:
    @DRAWN
    @given(bad_texts())
    def ask(drawn: tuple[str, str]) -> None:
        send(ENDPOINTS[name], *drawn)

    ask()


@pytest.mark.parametrize("name", ENDPOINTS)
def test_a_text_bomb_is_answered(name: str, send: Send) -> None:
    for title, text in BOMBS.items():
        try:
            send(ENDPOINTS[name], "native", text)
        except AssertionError as error:
            error.add_note(title)
            raise


@pytest.mark.parametrize("name", VALUE_TAKERS)
def test_a_damaged_value_is_answered(name: str, send: Send) -> None:
    @settings(DRAWN, max_examples=max(SENT // 3, 10))
    @given(bad_texts())
    def ask(drawn: tuple[str, str]) -> None:
        send(VALUE_TAKERS[name], *drawn)

    ask()
    for text in BOMBS.values():
        send(VALUE_TAKERS[name], "native", text)


def test_pages_about_a_draft_with_hostile_text(
    names: dict[str, Any], clients: dict[bool, Client]
) -> None:
    def look(language: str, text: str) -> None:
        draft = Draft.objects.filter(pk=names["draft"])
        with rolled_back():
            draft.update(dialect=language, text=text, base=names["version"])
            for path in PAGES_OF_DRAFTS:
                taker = Endpoint(path=path, fields=lambda *_: {})
                response = clients[True].get(taker.address(names))
                check_answer(taker, response, response.getvalue(), text)
            draft.update(base=names["version"] - 1)
            address = f"/o/orchard/config/conflict?draft={names['draft']}"
            response = clients[True].get(address)
            check_answer(Endpoint(path=address, fields=lambda *_: {}), response, b"", text)

    @settings(DRAWN, max_examples=max(SENT // 6, 10))
    @given(bad_texts())
    def any_text(drawn: tuple[str, str]) -> None:
        language, text = drawn
        if is_storable(text):
            look(language if language in dialects() else "native", text)

    any_text()
    for title in SMALL_BOMBS:
        look("native", BOMBS[title])


#: Text bombs that a page renders quickly.
SMALL_BOMBS: Final = (
    *("aliases of aliases", "merges of merges", "deep dashes", "deep blocks", "tabs", "quotes"),
    *("a key of many lines", "lines that end strangely", "objects of Python", "escaped NUL"),
)


def test_every_address_that_accepts_a_text_is_covered(
    names: dict[str, Any], clients: dict[bool, Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    Compare the addresses with the API's description, the table of the client's protocol and pages.

    Each page is sent a mark in every field that may contain a text; a page that parses or stores
    the mark accepts texts.
    """
    asked = {route_of(taker.path) for taker in (*ENDPOINTS.values(), *VALUE_TAKERS.values())}
    described = {
        resolve(path.replace("{org}", "o")).route
        for path, methods in document()["paths"].items()
        for operation in methods.values()
        # The text of a comment is no config.
        if "text" in _fields(operation) and not path.endswith("/comments")
    }
    client = {route_of(line.path) for line in CLIENT if "$config" in line.body}
    seen: list[str] = []
    build = source.build_trees

    def noted(findings: Any, **more: Any) -> Any:
        seen.append(findings.positions.text)
        return build(findings, **more)

    monkeypatch.setattr(source, "build_trees", noted)
    monkeypatch.setattr(TolerantParser, "read", lambda self, line: seen.append(line))
    pages = set()
    for number, line in enumerate(line for line in PAGES if "$org" in line.path):
        for verb in ("", "check"):
            mark = f"marked{number}{verb}: ["
            with rolled_back():
                _send_mark(clients[True], line, {**names, "me": 1}, mark)
                if Draft.objects.filter(text__contains=mark).exists() or any(
                    mark in text for text in seen
                ):
                    pages.add(route_of(line.path))
    assert (described | client) & asked == described | client
    assert pages == {route for route in asked if route.startswith("o/")}
    assert asked == described | client | pages


def _fields(operation: Any) -> set[str]:
    schema = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    name = schema.get("schema", {}).get("$ref", "").rpartition("/")[2]
    return set(document()["components"]["schemas"].get(name, {}).get("properties", ()))


#: Names of fields of forms, addresses and JSON that may contain a text.
_ANYWHERE: Final = ("text", "text-0", "json", "pod_sets", "paste", "sets", "requests", "file")


def _send_mark(client: Client, line: Line, names: dict[str, Any], mark: str) -> None:
    marked = dict.fromkeys(_ANYWHERE, mark)
    address = line.address(names)
    path, _, query = address.partition("?")
    if line.method == "GET":
        client.get(path, {**dict(parse_qsl(query)), "key": "team", **marked})
        return
    verb = {"do": "check"} if "check" in mark else {}
    if line.body.startswith("{"):
        body = {"dialect": "native", "line": 1, "column": 1, "base": 4, "revision": 7}
        client.post(address, json.dumps({**body, **marked}), content_type="application/json")
        return
    told = {"key": "team", "revision": 1, "name": "new", "type": "job", "copies": 1}
    fields = {**told, **dict(parse_qsl(line.sent(names)[0])), **marked, **verb}
    if "conflict" in path:
        fields = ENDPOINTS["merge"].fields("native", mark, names)
    elif "expectations" in path:
        fields["do"] = "save"
    if "new" in path:
        # The field `json` is read instead of the others, and the mark is not JSON.
        del fields["json"]
    client.post(address, {**fields, "file": SimpleUploadedFile("a", mark.encode())})


def route_of(path: str) -> str:
    """Return the route of *path*."""
    words = path.partition("?")[0].split("/")
    route: str = resolve("/".join("7" if word.startswith("$") else word for word in words)).route
    return route
