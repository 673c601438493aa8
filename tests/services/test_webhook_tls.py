"""TLS of webhooks: the certificate is verified for the name, not for the checked address."""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from ipaddress import ip_network
from typing import Any

import pytest

from console.webhooks import sending
from console.webhooks.outcome import Failure
from console.webhooks.sending import send
from tests.receiver import CERTIFICATE, Receiver, receiving

LOOPBACK = [ip_network("127.0.0.0/8")]


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    """Resolve every name to a receiver with a certificate for hooks.example."""

    def look(host: str, port: int, *_: Any, **__: Any) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]

    monkeypatch.setattr("console.webhooks.target.socket.getaddrinfo", look)
    with receiving(tls=True) as receiver:
        yield receiver


@pytest.fixture
def trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trust the receiver's certificate."""
    context = ssl.create_default_context(cafile=str(CERTIFICATE))
    monkeypatch.setattr(sending, "_tls", lambda: context)


def test_the_name_in_the_address_is_that_of_the_certificate(
    receiver: Receiver, trusted: None
) -> None:
    found = send(f"https://hooks.example:{receiver.port}/a?b=c", b"{}", {"X": "y"}, LOOPBACK)
    assert (found.failure, found.status, found.address) == (None, 200, "127.0.0.1")
    (got,) = receiver.got
    assert (got.path, got.body) == ("/a?b=c", b"{}")
    assert got.headers["Host"] == f"hooks.example:{receiver.port}"


@pytest.mark.parametrize("host", ["other.example", "127.0.0.1"])
def test_the_certificate_of_another_name_is_refused(
    receiver: Receiver, trusted: None, host: str
) -> None:
    found = send(f"https://{host}:{receiver.port}/", b"{}", {}, LOOPBACK)
    assert (found.failure, found.status) == (Failure.TLS, None)
    assert "certificate is not valid for" in found.detail
    assert receiver.got == []


def test_a_certificate_that_nobody_vouches_for_is_refused(receiver: Receiver) -> None:
    found = send(f"https://hooks.example:{receiver.port}/", b"{}", {}, LOOPBACK)
    assert (found.failure, found.detail) == (Failure.TLS, "self-signed certificate")
    assert receiver.got == []


def test_a_receiver_without_tls_has_its_own_failure(receiver: Receiver, trusted: None) -> None:
    with receiving() as plain:
        found = send(f"https://hooks.example:{plain.port}/", b"{}", {}, LOOPBACK)
    assert found.failure is Failure.TLS


def test_a_slow_tls_receiver_is_cut_off(
    receiver: Receiver, trusted: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    drops = []

    def drip(handler: BaseHTTPRequestHandler) -> None:
        for _ in range(100):
            handler.wfile.write(b"H")
            handler.wfile.flush()
            drops.append(b"H")
            time.sleep(0.05)

    receiver.answering = drip
    monkeypatch.setattr(sending, "TOTAL", 0.5)
    found = send(f"https://hooks.example:{receiver.port}/", b"{}", {}, LOOPBACK)
    assert (found.failure, found.status) == (Failure.TIMED_OUT, None)
    assert len(drops) < 100
