"""The Redis client that everything except Celery uses, and its circuit breaker."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Final

from django.conf import settings
from kombu.exceptions import OperationalError
from redis import Redis, RedisError
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as NotConnected
from redis.retry import Retry

#: Timeout in seconds of a connection or a reply; after it the broker counts as down.
TIMEOUT = 2

#: A failure that took longer than SLOW_SECONDS opens the circuit breaker for OPEN_SECONDS.
SLOW_SECONDS, OPEN_SECONDS = 0.5, 2

#: The oldest supported servers: name -> (major, minor) version.
_OLDEST: Final = {"Redis": (7, 2), "Valkey": (8, 0)}


@lru_cache(maxsize=1)
def client() -> Redis:
    """Return this process's client; its calls raise redis.RedisError when the broker is down."""
    return Redis.from_url(
        settings.REDIS_URL,
        socket_timeout=TIMEOUT,
        socket_connect_timeout=TIMEOUT,
        # One retry replaces a stale connection; a server that does not answer is not asked again.
        retry=Retry(NoBackoff(), 1, (NotConnected,)),
    )


class CircuitOpen(RedisError):
    """The circuit breaker is open: another call of this process timed out a moment ago."""

    def __init__(self) -> None:
        super().__init__("it did not answer a moment ago")


#: Monotonic time until which the circuit breaker is open; 0 after a reply.
_open_until = [0.0]


@contextmanager
def circuit_breaker() -> Iterator[None]:
    """
    Guard optional calls of the broker; raise CircuitOpen instead of waiting while open.

    A server that refuses connections costs no time. A silent server, such as one behind a network
    that drops packets, would block every thread of a web process again and again. Therefore one
    thread tries the broker, and the others continue without it meanwhile.
    """
    begun = time.monotonic()
    if begun < _open_until[0]:
        raise CircuitOpen
    if _open_until[0]:
        _open_until[0] = begun + TIMEOUT
    try:
        yield
    except (OperationalError, RedisError):
        now = time.monotonic()
        _open_until[0] = now + OPEN_SECONDS if now - begun > SLOW_SECONDS else 0.0
        raise
    _open_until[0] = 0.0


def version_warning() -> str:
    """
    Return a sentence about a server that is older than supported, or "".

    It is also "" if the server does not answer or does not report its version.
    """
    try:
        facts = client().info("server")
    except RedisError:
        return ""
    # Valkey also reports the version of Redis that it is compatible with.
    name = "Valkey" if "valkey_version" in facts else "Redis"
    version = str(facts.get(f"{name.lower()}_version", ""))
    numbers = re.match(r"(\d+)\.(\d+)", version)
    if numbers is None or (int(numbers[1]), int(numbers[2])) >= _OLDEST[name]:
        return ""
    oldest = " or ".join(f"{each} {major}.{minor}" for each, (major, minor) in _OLDEST.items())
    return f"The broker is {name} {version}, and Sluice is made for {oldest} or newer; upgrade it."
