"""Health checks, and the headers that every response has."""

from __future__ import annotations

import subprocess
import time
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

from console import broker, health
from console.home import Home
from console.migrating import skew
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

    monkeypatch.setattr(skew.connection, "cursor", fail)
    health.beat()
    response = client.get("/readyz")
    assert response.status_code == 503
    assert response.json()["checks"] == {
        "database": "does not answer",
        "broker": "ok",
        "worker": "ok",
    }


@pytest.mark.django_db
def test_a_database_that_is_older_than_the_code_is_not_ready(client: Client, embedded) -> None:
    health.beat()
    recorder = MigrationRecorder(connection)
    recorder.record_unapplied("workloads", "0001_create_workloads")
    recorder.record_unapplied("series", "0001_create_series")
    response = client.get("/readyz")
    assert (response.status_code, response.json()) == (
        503,
        {
            "status": "unavailable",
            "checks": {
                "database": "is older than this version, and lacks series.0001_create_series and "
                "1 more; run `manage.py migrate`",
                "broker": "ok",
                "worker": "ok",
            },
        },
    )


@pytest.mark.django_db
def test_a_database_that_is_newer_than_the_code_is_ready_and_says_so(
    client: Client, embedded
) -> None:
    health.beat()
    recorder = MigrationRecorder(connection)
    recorder.record_applied("workloads", "0999_note_something")
    # Of an app that was switched off nothing is expected.
    recorder.record_applied("elsewhere", "0001_initial")
    response = client.get("/readyz")
    assert (response.status_code, response.json()) == (
        200,
        {
            "status": "ok",
            "checks": {"database": "ok", "broker": "ok", "worker": "ok"},
            "notes": [
                (
                    "The database is newer than this version, which does not know "
                    "workloads.0999_note_something. It works with the version right before its own "
                    "too; bring this process up to date."
                )
            ],
        },
    )


@pytest.mark.django_db
@pytest.mark.skipif(connection.vendor != "sqlite", reason="A server looks after its own disk.")
def test_a_full_disk_is_named(client: Client, embedded, monkeypatch) -> None:
    def left(room: int) -> dict[str, str]:
        usage = Namespace(free=room)
        monkeypatch.setattr(health.shutil, "disk_usage", lambda folder: usage)
        response = client.get("/readyz")
        assert response.status_code == (200 if response.json()["status"] == "ok" else 503)
        return response.json()["checks"]

    health.beat()
    fine = {"database": "ok", "broker": "ok", "worker": "ok"}
    assert left(16 * 1024**2) == fine
    assert left(16 * 1024**2 - 1) == {**fine, "database": "its disk is full: 15 MiB are left"}


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
