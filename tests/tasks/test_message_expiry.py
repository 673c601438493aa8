"""Expiry of task messages by the broker's clock."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from celery.contrib.testing.mocks import TaskMessage
from redis import RedisError

from console import broker, message_expiry
from console.celery import app
from console.message_expiry import BrokerClock
from console.workloads.tasks import admit
from console.workloads.wakeup import ADMIT

#: Time of the broker's clock, which differs much from other clocks.
NOW = datetime(2020, 2, 29, 12, 0, 0, 250_000, tzinfo=UTC)


def _have_clock(monkeypatch: pytest.MonkeyPatch, *shown: datetime | None) -> None:
    """Make the broker return the times *shown* in turn, or no answer for None."""
    times = iter(shown)

    def time() -> tuple[int, int]:
        now = next(times)
        if now is None:
            raise RedisError
        return int(now.timestamp()), now.microsecond

    monkeypatch.setattr(broker, "client", lambda: SimpleNamespace(time=time))
    monkeypatch.setattr(message_expiry, "_CLOCK", BrokerClock())


def _expires(seconds: int) -> datetime:
    message = app.amqp.create_task_message("an-id", ADMIT, expires=seconds)
    return datetime.fromisoformat(message.headers["expires"])


def _is_too_late(expires: datetime) -> bool:
    message = TaskMessage(ADMIT, id="an-id")
    message.headers["expires"] = expires.isoformat()
    return bool(admit.Request(message, app=app, task=admit).revoked())


def test_expiry_uses_the_broker_s_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    _have_clock(monkeypatch, NOW)
    # A message sent right after another one does not ask for the time again.
    first, second = _expires(60), _expires(60)
    assert first == NOW + timedelta(seconds=60)
    assert first < second < first + timedelta(seconds=message_expiry.CACHE_SECONDS)


def test_the_broker_s_time_is_refreshed(monkeypatch: pytest.MonkeyPatch) -> None:
    later = NOW + timedelta(hours=1)
    _have_clock(monkeypatch, NOW, None, later, None)
    monotonic = iter([10.0, 10.5, 11.5, 11.6, 12.5, 13.5])
    monkeypatch.setattr(message_expiry, "time", SimpleNamespace(monotonic=lambda: next(monotonic)))
    clock = BrokerClock()
    assert [clock.now() for _ in range(6)] == [
        *(NOW, NOW + timedelta(seconds=0.5), None),
        *(later, later + timedelta(seconds=0.9), None),
    ]


def test_without_the_broker_a_sender_uses_its_own_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    _have_clock(monkeypatch, None)
    before = datetime.now(UTC)
    assert before <= _expires(60) - timedelta(seconds=60) <= datetime.now(UTC)


@pytest.mark.parametrize(
    ("now", "is_too_late"),
    [(NOW, True), (NOW - timedelta(seconds=1), False), (None, False)],
)
def test_a_message_expires_by_the_broker_s_clock(
    now: datetime | None, is_too_late: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    _have_clock(monkeypatch, now)
    assert _is_too_late(NOW - timedelta(milliseconds=1)) is is_too_late
