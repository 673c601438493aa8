"""A message queue without a worker: it does not grow without limit, and readiness reports it."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from celery import current_app
from celery.beat import Scheduler
from django.test import Client
from structlog.testing import capture_logs

from console import broker, heartbeat, queue_backlog
from console.beat_scheduler import BacklogAwareScheduler
from console.celery import BACKGROUND, CHECK_UPS, COMMON, WEBHOOKS, app
from console.orgs.models import Organization
from console.overview import tasks as overview
from tests.brokers import serving_broker
from tests.product import environment_of


@pytest.fixture
def url(tmp_path_factory: pytest.TempPathFactory, settings: Any) -> Iterator[str]:
    """The URL of a separate broker, which this process uses, too."""
    broker.client.cache_clear()
    with serving_broker(tmp_path_factory.mktemp("b")) as found:
        settings.REDIS_URL = found
        yield found
    broker.client.cache_clear()


@pytest.fixture(autouse=True)
def nothing_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue_backlog, "_logged", set())


def fill(queue: str, count: int) -> None:
    """Add *count* unreadable messages to a queue."""
    broker.client().rpush(queue, *["{}"] * count)


def waiting(queue: str) -> int:
    found = broker.client().llen(queue)
    assert isinstance(found, int)
    return found


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_beat_sends_nothing_to_a_full_queue_until_a_worker_reads_it(
    url: str, tmp_path: Path
) -> None:
    fill(COMMON, queue_backlog.MAX_MESSAGES)
    beat = subprocess.Popen(
        [sys.executable, "-m", "celery", "--quiet", "--app", "console.celery", "beat"],
        env=environment_of(tmp_path, REDIS_URL=url),
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        # Five seconds after its start; the entry for the other queue, every two seconds, is due by
        # then.
        until(lambda: waiting(WEBHOOKS) > 0)
        assert waiting(COMMON) == queue_backlog.MAX_MESSAGES
        broker.client().ltrim(COMMON, 1, -1)
        until(lambda: waiting(COMMON) == queue_backlog.MAX_MESSAGES)
    finally:
        beat.terminate()
        _, log = beat.communicate(timeout=30)
    told = [line for line in log.splitlines() if "queue is full" in line]
    assert told
    assert all(COMMON in line and str(queue_backlog.MAX_MESSAGES) in line for line in told)


def test_every_schedule_entry_is_sent(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also the entries that Celery adds by itself."""
    sent: list[str] = []
    monkeypatch.setattr(Scheduler, "apply_async", lambda _, entry, **more: sent.append(entry.name))
    clock = BacklogAwareScheduler(app=app, schedule_filename=str(tmp_path / "schedule"))
    try:
        assert clock.schedule.keys() == app.conf.beat_schedule.keys()
        added = clock.Entry(name="added", task="a.task", schedule=60.0, app=app)
        for entry in (*clock.schedule.values(), added):
            clock.apply_async(entry, advance=False)
    finally:
        clock.close()
    assert sorted(sent) == sorted([*app.conf.beat_schedule, "added"])


def test_messages_for_each_organization_are_not_sent_to_a_full_queue(
    url: str, org: Organization, other_org: Organization, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[tuple[str, int, str, int]] = []

    def send(name: str, args: list[int], queue: str, expires: int) -> None:
        sent.append((name, *args, queue, expires))

    monkeypatch.setattr(current_app, "send_task", send)
    fill(CHECK_UPS, queue_backlog.MAX_MESSAGES - 1)
    with capture_logs() as logs:
        queue_backlog.send_to_each("a task", [1, 2], CHECK_UPS, expires=20)
        fill(CHECK_UPS, 1)
        queue_backlog.send_to_each("a task", [3], CHECK_UPS, expires=20)
        queue_backlog.send_to_each("a task", [4], CHECK_UPS, expires=20)
        queue_backlog.send_to_each("a task", [5], BACKGROUND, expires=20)
    assert sent == [
        *[("a task", org_id, CHECK_UPS, 20) for org_id in (1, 2)],
        ("a task", 5, BACKGROUND, 20),
    ]
    assert logs == [
        {
            "event": "queue is full",
            "log_level": "warning",
            "queue": CHECK_UPS,
            "waiting": queue_backlog.MAX_MESSAGES,
        }
    ]


def test_badges_do_not_wait_for_slow_tasks(
    url: str, org: Organization, other_org: Organization, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[tuple[str, int]] = []

    def send(name: str, args: list[int], queue: str, expires: int) -> None:
        sent.append((queue, *args))

    monkeypatch.setattr(current_app, "send_task", send)
    fill(CHECK_UPS, queue_backlog.MAX_MESSAGES)
    overview.look()
    assert sent == [(BACKGROUND, each.pk) for each in (org, other_org)]


@pytest.mark.django_db
def test_readiness_lists_full_queues(client: Client, url: str) -> None:
    heartbeat.beat()
    assert "notes" not in client.get("/readyz").json()
    fill(WEBHOOKS, queue_backlog.MAX_MESSAGES)
    fill(CHECK_UPS, queue_backlog.MAX_MESSAGES + 1)
    fill(COMMON, queue_backlog.MAX_MESSAGES - 1)
    response = client.get("/readyz")
    assert (response.status_code, response.json()["notes"]) == (
        200,
        [
            (
                "10,000 messages or more wait in the queues check-ups and webhooks, and no more "
                "are sent there. Start a worker that reads from there; a worker that is only "
                "behind catches up."
            )
        ],
    )
