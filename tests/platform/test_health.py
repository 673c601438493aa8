"""Health checks, and the headers that every response has."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import OperationalError
from django.test import Client

from console import broker, health
from console.home import Home
from console.supervisor.broker import command


@pytest.fixture
def embedded(tmp_path: Path, settings) -> Iterator[subprocess.Popen[bytes]]:
    """A broker of its own, as the supervisor starts it."""
    home = Home(tmp_path)
    server = subprocess.Popen(command(home))
    settings.REDIS_URL = f"unix://{home.broker_socket}"
    broker.client.cache_clear()
    deadline = time.monotonic() + 10
    while not home.broker_socket.exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    yield server
    server.terminate()
    server.wait()
    broker.client.cache_clear()


@pytest.fixture(autouse=True)
def fresh_client() -> Iterator[None]:
    """Forget the client of other tests, whose broker was another."""
    broker.client.cache_clear()
    yield
    broker.client.cache_clear()


def test_the_process_is_up_without_asking_anybody(client: Client) -> None:
    """No database fixture: a query would fail this test."""
    response = client.get("/healthz")
    assert (response.status_code, response.json()) == (200, {"status": "ok"})


@pytest.mark.django_db
def test_ready_when_all_do_their_part(client: Client, embedded) -> None:
    health.beat()
    response = client.get("/readyz")
    assert (response.status_code, response.json()) == (
        200,
        {"status": "ok", "checks": {"database": "ok", "broker": "ok", "worker": "ok"}},
    )
    assert response["Cache-Control"] == "no-store"


@pytest.mark.django_db
def test_a_silent_worker_is_named(client: Client, embedded) -> None:
    response = client.get("/readyz")
    assert response.status_code == 503
    assert response.json() == {
        "status": "unavailable",
        "checks": {
            "database": "ok",
            "broker": "ok",
            "worker": "no sign of life for 15 seconds; are worker and beat running?",
        },
    }


@pytest.mark.django_db
def test_a_broker_that_is_down_is_named(client: Client) -> None:
    health.beat()
    response = client.get("/readyz")
    assert response.status_code == 503
    assert response.json()["checks"] == {
        "database": "ok",
        "broker": "does not answer",
        "worker": "unknown, because the broker does not answer",
    }


def test_a_database_that_is_down_is_named(client: Client, embedded, monkeypatch) -> None:
    def fail() -> None:
        raise OperationalError("gone")

    monkeypatch.setattr(health.connection, "cursor", fail)
    health.beat()
    response = client.get("/readyz")
    assert response.status_code == 503
    assert response.json()["checks"] == {
        "database": "does not answer",
        "broker": "ok",
        "worker": "ok",
    }


@pytest.mark.parametrize("method", ["post", "put", "delete"])
def test_checks_are_only_read(client: Client, method: str) -> None:
    assert getattr(client, method)("/healthz").status_code == 405


def test_every_response_is_guarded(client: Client) -> None:
    headers = client.get("/healthz").headers
    policy = dict(
        directive.split(" ", 1) for directive in headers["Content-Security-Policy"].split("; ")
    )
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "same-origin"


def test_a_request_keeps_the_id_that_a_proxy_gave_it(client: Client) -> None:
    given = client.get("/healthz", headers={"X-Request-ID": "abc-123"})
    assert given["X-Request-ID"] == "abc-123"
    made_up = client.get("/healthz", headers={"X-Request-ID": 'x" forged=1'})
    assert len(made_up["X-Request-ID"]) == 32
