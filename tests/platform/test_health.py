"""Health checks, and the headers of every response."""

from __future__ import annotations

import subprocess
import time
from argparse import Namespace
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.db import OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from django.utils import timezone

from console import broker, health, heartbeat
from console.celery import SHARDS, shard_of
from console.configs.services.apply_config import apply_config
from console.home import Home
from console.migrating import skew
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.orgs.services.create_org import create_org
from console.supervisor.broker import command
from console.workloads.models import Intake, Workload
from console.workloads.services.hold_queue import hold_queue
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import Submission


@pytest.fixture
def embedded(tmp_path: Path, settings) -> Iterator[subprocess.Popen[bytes]]:
    """A separate broker, as the supervisor starts it."""
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
    """Discard the broker client of other tests, which used another broker."""
    broker.client.cache_clear()
    yield
    broker.client.cache_clear()


def test_healthz_needs_no_database(client: Client) -> None:
    """There is no database fixture: a query would fail this test."""
    response = client.get("/healthz")
    assert (response.status_code, response.json()) == (200, {"status": "ok"})


@pytest.mark.django_db
def test_ready_when_all_checks_pass(client: Client, embedded) -> None:
    heartbeat.beat()
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
def test_missing_worker_or_broker_does_not_remove_the_process_from_traffic(
    client: Client, embedded, monkeypatch
) -> None:
    """A load balancer that removed all web processes would make pages and submissions fail."""
    silent = client.get("/readyz?for=traffic")
    assert (silent.status_code, silent.json()) == (200, client.get("/readyz").json())
    assert silent.json()["status"] == "unavailable"
    embedded.terminate()
    embedded.wait()
    away = client.get("/readyz?for=traffic")
    assert (away.status_code, away.json()["checks"]["broker"]) == (200, "does not answer")

    def fail() -> None:
        raise OperationalError("gone")

    monkeypatch.setattr(skew.connection, "cursor", fail)
    assert client.get("/readyz?for=traffic").status_code == 503


@pytest.mark.django_db
def test_a_broker_that_is_down_is_named(client: Client) -> None:
    heartbeat.beat()
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
    heartbeat.beat()
    response = client.get("/readyz")
    assert response.status_code == 503
    assert response.json()["checks"] == {
        "database": "does not answer",
        "broker": "ok",
        "worker": "ok",
    }


@pytest.mark.django_db
def test_a_database_that_is_older_than_the_code_is_not_ready(client: Client, embedded) -> None:
    heartbeat.beat()
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
    heartbeat.beat()
    recorder = MigrationRecorder(connection)
    recorder.record_applied("workloads", "0999_note_something")
    # An app that is not installed has no expected migrations.
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
                    "workloads.0999_note_something. A database also works with the version before "
                    "its own; update this process."
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

    heartbeat.beat()
    fine = {"database": "ok", "broker": "ok", "worker": "ok"}
    assert left(16 * 1024**2) == fine
    assert left(16 * 1024**2 - 1) == {**fine, "database": "its disk is full: 15 MiB are left"}


@pytest.mark.django_db
@pytest.mark.skipif(connection.vendor != "postgresql", reason="A file has no standby.")
def test_a_database_that_only_reads_is_not_ready(client: Client, embedded) -> None:
    heartbeat.beat()
    with connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION READ ONLY")
    response = client.get("/readyz")
    assert (response.status_code, response.json()) == (
        503,
        {
            "status": "unavailable",
            "checks": {
                "database": "is read-only: it is a standby, or default_transaction_read_only is "
                "on; set DATABASE_URL to the primary, or turn that setting off",
                "broker": "ok",
                "worker": "ok",
            },
        },
    )


CONFIG = """\
resource_queues: [{name: team}]
scheduling_rules:
  - selector: [{key: team, operator: in, values: [ml]}]
    resource_queue: team
"""

#: Times of requests that no worker has processed yet.
ACCEPTED = datetime(2026, 3, 1, 9, 30, 0, 123456, UTC)


def accept(org: Organization, at: datetime, number: int = 1) -> None:
    """Create unprocessed requests of an organization, accepted at *at*."""
    row = {"org": org, "kind": Intake.Kind.RESUME, "payload": {"queue": "q"}, "created_at": at}
    Intake.objects.bulk_create(Intake(**row) for _ in range(number))


def told(client: Client) -> list[str]:
    """Return the notes of a check that passes."""
    response = client.get("/readyz")
    body = response.json()
    assert response.status_code == 200
    assert body.pop("checks") == {"database": "ok", "broker": "ok", "worker": "ok"}
    return body.get("notes", [])


def test_overdue_requests_are_reported_with_their_lane(
    client: Client, embedded, org: Organization, other_org: Organization
) -> None:
    """The heartbeat alone does not reveal a stuck worker or a failing engine."""
    heartbeat.beat()
    accept(org, ACCEPTED)
    accept(org, ACCEPTED + timedelta(hours=1), number=3)
    accept(other_org, timezone.now())
    assert told(client) == [
        (
            "Accepted requests of 1 organization wait for longer than 30 seconds, the oldest since "
            f"2026-03-01T09:30:00Z, in the shard {shard_of(org.pk)}. Check that a worker reads "
            "from there, and restart it if it is stuck; where an engine fails, its log says "
            "`engine failed` and why. A worker that is only behind catches up."
        )
    ]


def test_lanes_are_reported_once_and_in_order(client: Client, embedded, db: None) -> None:
    heartbeat.beat()
    orgs = [create_org(f"org-{number}", "One of many", owner=None) for number in range(9)]
    for number, org in enumerate(orgs):
        accept(org, ACCEPTED - timedelta(seconds=number))
    used = {shard_of(org.pk) for org in orgs}
    *first, last = [shard for shard in SHARDS if shard in used]
    [sentence] = told(client)
    assert sentence.startswith(
        "Accepted requests of 9 organizations wait for longer than 30 seconds, the oldest since "
        f"2026-03-01T09:29:52Z, in the shards {', '.join(first)} and {last}. Check that "
    )


def test_requests_of_thirty_seconds_are_not_overdue(
    client: Client, embedded, org: Organization, monkeypatch: pytest.MonkeyPatch
) -> None:
    heartbeat.beat()
    accept(org, ACCEPTED)
    ages = [timedelta(seconds=30), timedelta(seconds=30, microseconds=1), timedelta(seconds=-60)]
    found = []
    for age in ages:
        monkeypatch.setattr(health.timezone, "now", lambda age=age: ACCEPTED + age)
        found.append(len(told(client)))
    assert found == [0, 1, 0]


def test_workloads_of_a_held_queue_are_not_overdue_requests(
    client: Client,
    embedded,
    owner: Actor,
    settle: Callable[[Organization], int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The requests were processed: the workloads wait in their queue because it is held."""
    heartbeat.beat()
    apply_config(owner, "native", CONFIG, "first", 0)
    settle(owner.org)
    hold_queue(owner, "team", "moving racks")
    submit_workloads(owner, [Submission(name="one", tags={"team": "ml"})])
    later = timezone.now() + timedelta(minutes=1)
    monkeypatch.setattr(health.timezone, "now", lambda: later)
    assert len(told(client)) == 1
    settle(owner.org)
    assert told(client) == []
    assert Workload.objects.get().state == "pending"


@pytest.mark.parametrize("method", ["post", "put", "delete"])
def test_checks_allow_only_reads(client: Client, method: str) -> None:
    assert getattr(client, method)("/healthz").status_code == 405


def test_every_response_has_security_headers(client: Client) -> None:
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
