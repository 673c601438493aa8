"""Request limits of API tokens, shared by all web processes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.test import Client
from redis import Redis

from console.api.rate_limit import BURST, TooManyRequests, count_request
from console.orgs.permissions import Actor
from tests.brokers import serving_broker

ROOT = Path(__file__).resolve().parent.parent.parent
RATE = 2

_PROGRAM = """
import os, sys
from django.conf import settings
settings.configure(TOKEN_REQUESTS_PER_SECOND=int(sys.argv[1]), REDIS_URL=sys.argv[2])
from console.api.rate_limit import TooManyRequests, count_request
passed = 0
for _ in range(int(sys.argv[3])):
    try:
        count_request(7)
    except TooManyRequests:
        continue
    passed += 1
print(passed)
"""


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a broker without persistence."""
    with serving_broker(tmp_path_factory.mktemp("b")) as url:
        yield url


@pytest.fixture
def limited(broker: str, settings) -> None:
    """A console with a request limit for tokens."""
    settings.TOKEN_REQUESTS_PER_SECOND = RATE
    settings.REDIS_URL = broker
    Redis.from_url(broker).flushall()


def most(seconds: float) -> int:
    """Return the number of requests that may pass in some seconds."""
    return RATE * BURST + int(seconds * RATE) + 1


def test_limited_token_gets_retry_after(
    limited: None, owner: Actor, api_for: Callable[[Actor], Client]
) -> None:
    client = api_for(owner)
    begun = time.monotonic()
    passed = 0
    while (answer := client.get("/api/v1/orgs/here")).status_code == 200:
        passed += 1
        assert passed <= most(time.monotonic() - begun)
    assert passed >= RATE * BURST
    assert answer.headers["Retry-After"] == "1"
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.json() == {
        "type": "urn:sluice:problem:too_many_requests",
        "title": "Too many requests",
        "status": 429,
        "detail": "A token can send 2 requests per second; repeat this one in 1 s. Submit "
        "several workloads with one request.",
        "code": "too_many_requests",
    }


def test_other_tokens_and_people_are_not_limited(
    limited: None,
    owner: Actor,
    viewer: Actor,
    api_for: Callable[[Actor], Client],
    client_for: Callable[[Actor], Client],
) -> None:
    busy = api_for(owner)
    while busy.get("/api/v1/orgs/here").status_code == 200:
        pass
    assert api_for(viewer).get("/api/v1/orgs/here").status_code == 200
    browser = client_for(owner)
    answers = {browser.get("/api/v1/orgs/here").status_code for _ in range(RATE * BURST + 5)}
    assert answers == {200}


def test_public_client_gets_its_own_error_format(
    limited: None, owner: Actor, api_for: Callable[[Actor], Client]
) -> None:
    client = api_for(owner)
    while (answer := client.get("/api/v2/userinfo/")).status_code != 429:
        assert answer.status_code == 200
    assert answer.headers["Retry-After"] == "1"
    assert answer.json()["error"]["code"] == "too_many_requests"


def test_processes_share_counts(broker: str) -> None:
    Redis.from_url(broker).flushall()
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    begun = time.monotonic()
    programs = [
        subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, str(RATE), broker, "200"],
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    passed = sum(int(program.communicate()[0]) for program in programs)
    assert RATE * BURST <= passed <= most(time.monotonic() - begun)


def test_requests_pass_without_the_broker(settings, tmp_path: Path) -> None:
    settings.TOKEN_REQUESTS_PER_SECOND = 1
    settings.REDIS_URL = f"unix://{tmp_path}/nothing"
    for _ in range(3 * BURST):
        count_request(1)


def test_without_a_limit_nothing_is_counted(broker: str, settings) -> None:
    settings.REDIS_URL = broker
    for _ in range(100):
        count_request(9)
    assert Redis.from_url(broker).exists("sluice:rate:9") == 0


def test_refused_requests_do_not_count(limited: None, broker: str) -> None:
    def refused() -> bool:
        try:
            count_request(8)
        except TooManyRequests:
            return True
        return False

    while not refused():
        pass
    before = float(Redis.from_url(broker).hget("sluice:rate:8", "left"))
    assert 0 <= before < 1
    assert Redis.from_url(broker).pttl("sluice:rate:8") > 0
