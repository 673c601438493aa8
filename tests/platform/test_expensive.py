"""Limits of concurrent expensive requests, by organization and user, across web processes."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from redis import Redis

from console import broker as broker_client
from console import expensive as gate
from console.errors import RetryLater
from console.expensive import (
    CHEAP_TEXT,
    LIMIT_PER_ORG,
    LIMIT_PER_PROCESS,
    Kind,
    PlaceHoldingStream,
    TooManyQuestions,
    count_by_kind,
    expensive,
    limit_of_all_orgs,
    take_place,
)
from console.orgs.models import ApiToken
from console.orgs.permissions import Actor
from tests.brokers import serving_broker

ROOT = Path(__file__).resolve().parent.parent.parent

#: Program that takes the places in its arguments, prints for each which limit refused it, and then
#: waits to be killed.
_PROGRAM = """
import sys
from django.conf import settings
settings.configure(REDIS_URL=sys.argv[1], WEB_PROCESSES=4)
from console.expensive import Kind, TooManyQuestions, take_place
for said in sys.argv[2:]:
    kind, org, asker = said.split("/")
    try:
        take_place(Kind(kind), int(org), asker)
    except TooManyQuestions as error:
        print(error.limit.name, flush=True)
    else:
        print("taken", flush=True)
sys.stdin.read()
"""


@pytest.fixture(scope="module")
def broker_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a broker without persistence."""
    with serving_broker(tmp_path_factory.mktemp("b")) as url:
        yield url


@pytest.fixture
def shared(broker_url: str, settings: Any) -> Iterator[Redis]:
    """A console whose web processes share their counts."""
    settings.REDIS_URL = broker_url
    settings.WEB_PROCESSES = 4
    client = Redis.from_url(broker_url)
    client.flushall()
    broker_client.client.cache_clear()
    yield client
    broker_client.client.cache_clear()


@pytest.fixture
def other_process(broker_url: str) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Return a function that starts a web process which takes places and waits."""
    with ExitStack() as stack:

        def start(*places: str) -> subprocess.Popen[str]:
            process = stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-c", _PROGRAM, broker_url, *places],
                    env={**os.environ, "PYTHONPATH": str(ROOT)},
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
            )
            stack.callback(process.kill)
            return process

        yield start


def said(process: subprocess.Popen[str], lines: int) -> list[str]:
    """Return the lines that a process prints about its places."""
    assert process.stdout is not None
    return [process.stdout.readline().strip() for _ in range(lines)]


def limit_of(kind: Kind, org: int, asker: str) -> str:
    """Return the name of the limit that refuses a question, or "taken"."""
    try:
        place = take_place(kind, org, asker)
    except TooManyQuestions as error:
        return error.limit.name
    place.release()
    return "taken"


def test_processes_share_counts(
    shared: Redis, other_process: Callable[..., subprocess.Popen[str]]
) -> None:
    there = other_process("check/1/user:1", "check/1/user:1", "compare/1/user:1")
    assert said(there, 3) == ["taken", "ASKER", "taken"]
    # Two questions of organization 1 are running in another process.
    assert limit_of(Kind.CHECK, 1, "user:1") == "ASKER"
    assert limit_of(Kind.CHECK, 1, "user:2") == "ORG"
    # Exports have separate places.
    assert limit_of(Kind.EXPORT, 1, "user:1") == "taken"
    with expensive(Kind.CHECK, 2, "user:3"):
        assert limit_of_all_orgs() == 3
        assert limit_of(Kind.CHECK, 3, "user:4") == "ALL"
    assert limit_of(Kind.CHECK, 3, "user:4") == "taken"


def test_a_killed_process_frees_its_places(
    shared: Redis,
    other_process: Callable[..., subprocess.Popen[str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    there = other_process("check/1/user:1")
    assert said(there, 1) == ["taken"]
    there.kill()
    there.wait()
    assert limit_of(Kind.CHECK, 1, "user:1") == "ASKER"
    # As if its lease had expired: nothing else frees the place.
    ((name, until),) = shared.zrange("sluice:expensive:questions", 0, -1, withscores=True)
    assert until > time.time() * 1000
    shared.zadd("sluice:expensive:questions", {name: time.time() * 1000 - 1})
    assert limit_of(Kind.CHECK, 1, "user:1") == "taken"


def test_processes_count_separately_without_the_broker() -> None:
    with expensive(Kind.CHECK, 1, "user:1"):
        assert limit_of(Kind.CHECK, 1, "user:1") == "ASKER"
        assert limit_of(Kind.COMPARE, 1, "user:1") == "taken"
    with ExitStack() as stack:
        for number in range(LIMIT_PER_PROCESS):
            place = take_place(Kind.CHECK, 1, f"user:{number}")
            stack.callback(place.release)
        assert LIMIT_PER_PROCESS == LIMIT_PER_ORG == 2
        assert limit_of(Kind.CHECK, 1, "user:9") == "ORG"
        assert limit_of(Kind.CHECK, 2, "user:9") == "ALL"
    assert limit_of(Kind.CHECK, 2, "user:9") == "taken"
    assert count_by_kind() == []


def test_small_texts_and_nested_questions_take_no_place(shared: Redis) -> None:
    with (
        expensive(Kind.CHECK, 1, "user:1", size=CHEAP_TEXT),
        expensive(Kind.CHECK, 1, "user:1", size=CHEAP_TEXT),
        expensive(Kind.COMPARE, 1, "user:1", size=CHEAP_TEXT + 1),
        expensive(Kind.COMPARE, 1, "user:1"),
        expensive(Kind.CHECK, 1, "user:1"),
    ):
        assert {each.kind: each.in_flight for each in count_by_kind() if each.in_flight} == {
            Kind.COMPARE: 1
        }
    assert not any(each.in_flight for each in count_by_kind())


def test_failed_question_releases_its_place() -> None:
    with pytest.raises(ZeroDivisionError), expensive(Kind.CHECK, 1, "user:1"):
        raise ZeroDivisionError
    assert limit_of(Kind.CHECK, 1, "user:1") == "taken"


def test_metrics_count_by_kind(shared: Redis, client: Client, db: None) -> None:
    with expensive(Kind.CHECK, 1, "user:1"):
        assert limit_of(Kind.CHECK, 1, "user:1") == "ASKER"
        assert limit_of(Kind.EXPORT, 1, "user:1") == "taken"
        text = client.get("/metrics").content.decode()
    lines = {
        line
        for line in text.splitlines()
        if line.startswith("sluice_expensive") and "0.0" not in line
    }
    assert lines == {
        'sluice_expensive_questions{kind="check"} 1.0',
        'sluice_expensive_questions_taken_total{kind="check"} 1.0',
        'sluice_expensive_questions_refused_total{kind="check"} 1.0',
        'sluice_expensive_questions_taken_total{kind="export"} 1.0',
    }


def test_export_holds_its_place_until_it_is_sent_or_closed(
    shared: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocks = PlaceHoldingStream(take_place(Kind.EXPORT, 1, "user:1"), iter([b"one", b"two"]))
    assert next(blocks) == b"one"
    assert limit_of(Kind.EXPORT, 1, "user:1") == "ASKER"
    assert list(blocks) == [b"two"]
    assert limit_of(Kind.EXPORT, 1, "user:1") == "taken"
    unread = PlaceHoldingStream(take_place(Kind.EXPORT, 1, "user:1"), iter([b"one"]))
    assert limit_of(Kind.EXPORT, 1, "user:1") == "ASKER"
    unread.close()
    unread.close()
    assert limit_of(Kind.EXPORT, 1, "user:1") == "taken"
    # A long export keeps its place.
    slow = PlaceHoldingStream(take_place(Kind.EXPORT, 1, "user:1"), iter([b"one", b"two"]))
    ((name, _),) = shared.zrange("sluice:expensive:exports", 0, -1, withscores=True)
    shared.zadd("sluice:expensive:exports", {name: time.time() * 1000 + 500})
    now = time.monotonic()
    monkeypatch.setattr(gate.time, "monotonic", lambda: now + gate.LEASE / 2)
    next(slow)
    ((_, until),) = shared.zrange("sluice:expensive:exports", 0, -1, withscores=True)
    assert until > time.time() * 1000 + gate.LEASE * 900
    slow.close()


def test_an_export_that_no_server_sends_may_be_collected_while_a_lock_is_held(
    shared: Redis,
) -> None:
    unsent = PlaceHoldingStream(take_place(Kind.EXPORT, 1, "user:1"), iter([b"one"]))
    collected = threading.Event()

    def collect() -> None:
        nonlocal unsent
        with gate._local_places._lock:
            del unsent
        collected.set()

    threading.Thread(target=collect, daemon=True).start()
    assert collected.wait(10)
    assert limit_of(Kind.EXPORT, 1, "user:1") == "taken"


LARGE = "# " + "x" * CHEAP_TEXT


@contextmanager
def under_way(kind: Kind, org: int, asker: str) -> Iterator[None]:
    """Hold the place of another request of *asker* during the context."""
    place = take_place(kind, org, asker)
    yield
    place.release()


def key_of_token() -> str:
    """Return the key of the token of the last client."""
    return Actor.from_token(ApiToken.objects.latest("pk")).key


def test_the_api_refuses_a_second_check_of_a_large_text(
    owner: Actor, api_for: Callable[[Actor], Client]
) -> None:
    client = api_for(owner)
    url = "/api/v1/orgs/here/config/check"
    body = {"text": LARGE}
    with under_way(Kind.CHECK, owner.org.pk, key_of_token()):
        answer = client.post(url, body, "application/json")
        small = client.post(url, {"text": "x: 1"}, "application/json")
    assert small.status_code == 200
    assert answer.status_code == 429
    assert answer.headers["Retry-After"] == "2"
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.json() == {
        "type": "urn:sluice:problem:too_many_questions",
        "title": "Too many expensive requests at a time",
        "status": 429,
        "detail": "You already have a check of a large config running; wait for its result. "
        "Send this request again in 2 s.",
        "code": "too_many_questions",
    }
    assert client.post(url, body, "application/json").status_code == 200


def test_public_client_and_pages_report_it_in_their_formats(
    owner: Actor, api_for: Callable[[Actor], Client], client_for: Callable[[Actor], Client]
) -> None:
    client = api_for(owner)
    with under_way(Kind.CHECK, owner.org.pk, key_of_token()):
        answer = client.post(
            "/api/v2/scheduler/config/validate",
            {"config": {"queues": [], "note": LARGE}},
            "application/json",
        )
    assert answer.status_code == 429, answer.content
    assert answer.headers["Retry-After"] == "2"
    assert answer.json()["error"]["code"] == "too_many_questions"
    browser = client_for(owner)
    with under_way(Kind.EXPORT, owner.org.pk, owner.key):
        page = browser.get("/o/here/workloads?as=csv&state=pending")
    assert page.status_code == 429
    assert page.headers["Retry-After"] == "2"
    text = page.content.decode()
    assert "You already have an export running" in text
    assert 'href="/o/here/workloads?as=csv&amp;state=pending"' in text
    assert b"".join(browser.get("/o/here/workloads?as=csv").streaming_content).startswith(b"id,")


def test_too_many_questions_is_a_retry_later_error() -> None:
    assert issubclass(TooManyQuestions, RetryLater)
