"""A broker that accepts connections and never answers: few requests wait for it."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import suppress
from threading import Thread
from types import SimpleNamespace
from typing import Any

import pytest
from django.test import Client
from redis import RedisError
from structlog.testing import capture_logs

from console import broker, heartbeat
from console.heartbeat import Pulse
from console.workloads import wakeup


class SilentServer:
    """A server that accepts connections and never answers."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._connections: list[socket.socket] = []
        self.port = self._listener.getsockname()[1]
        self._thread = Thread(target=self._accept, daemon=True)
        self._thread.start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                self._connections.append(self._listener.accept()[0])

    @property
    def asked(self) -> int:
        """The number of connections so far."""
        return len(self._connections)

    def end(self) -> None:
        """Close all connections."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(10)
        for connection in self._connections:
            connection.close()


@pytest.fixture
def silent(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[SilentServer]:
    """The silent server as the broker of this process, with short timeouts."""
    monkeypatch.setattr(broker, "TIMEOUT", 0.2)
    monkeypatch.setattr(broker, "SLOW_SECONDS", 0.1)
    monkeypatch.setattr(broker, "_open_until", [0.0])
    monkeypatch.setattr(heartbeat, "_cached", [])
    server = SilentServer()
    settings.REDIS_URL = f"redis://127.0.0.1:{server.port}/0"
    broker.client.cache_clear()
    yield server
    server.end()
    broker.client.cache_clear()


def test_one_request_waits_and_others_continue(silent: SilentServer) -> None:
    with capture_logs() as logs:
        for org_id in range(5):
            wakeup.send(org_id)
    assert silent.asked == 1
    assert heartbeat.pulse() is Pulse.BROKER_AWAY
    assert silent.asked == 1
    assert [(each["event"], each["org"]) for each in logs] == [
        ("no wakeup was sent, the sweep sends one", org_id) for org_id in range(5)
    ]
    assert {each["error"] for each in logs[1:]} == {"it did not answer a moment ago"}


def test_one_request_tries_the_broker_again_later(
    silent: SilentServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [1000.0]
    monkeypatch.setattr(broker, "time", SimpleNamespace(monotonic=lambda: clock[0]))

    def fail(seconds: float, *, beside: bool = False) -> None:
        with pytest.raises(RedisError, match="gone"), broker.circuit_breaker():  # noqa: PT012
            if beside:
                with pytest.raises(broker.CircuitOpen), broker.circuit_breaker():
                    raise AssertionError
            clock[0] += seconds
            raise RedisError("gone")

    fail(broker.SLOW_SECONDS + 0.1)
    clock[0] += broker.OPEN_SECONDS - 0.1
    with pytest.raises(broker.CircuitOpen), broker.circuit_breaker():
        raise AssertionError
    clock[0] += 0.2
    # While one request waits for the broker, no other does.
    fail(broker.SLOW_SECONDS + 0.1, beside=True)
    clock[0] += broker.OPEN_SECONDS + 0.1
    # A broker that refuses at once makes no request wait.
    fail(0)
    fail(0)
    with broker.circuit_breaker():
        pass


@pytest.mark.django_db
def test_readiness_waits_for_the_broker_once(silent: SilentServer, client: Client) -> None:
    response = client.get("/readyz")
    assert (response.status_code, response.json()["checks"]) == (
        503,
        {
            "database": "ok",
            "broker": "does not answer",
            "worker": "unknown, because the broker does not answer",
        },
    )
    assert silent.asked == 1
