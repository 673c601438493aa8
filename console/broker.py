"""The one client of the broker outside Celery."""

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

#: Seconds after which an unreachable broker counts as down, rather than waiting for ever.
TIMEOUT = 2

#: Seconds after which a failure has kept somebody waiting, and for how long others of the process
#: then go on without the broker.
SLOW, REST = 0.5, 2

#: The oldest servers that Sluice is made for, by name: the first two numbers of their versions.
_OLDEST: Final = {"Redis": (7, 2), "Valkey": (8, 0)}


@lru_cache(maxsize=1)
def client() -> Redis:
    """Return this process's client; its calls raise redis.RedisError when the broker is down."""
    return Redis.from_url(
        settings.REDIS_URL,
        socket_timeout=TIMEOUT,
        socket_connect_timeout=TIMEOUT,
        # Once, for a connection that went stale; one that does not answer would not either.
        retry=Retry(NoBackoff(), 1, (NotConnected,)),
    )


class Away(RedisError):
    """The broker let somebody of this process wait in vain a moment ago."""

    def __init__(self) -> None:
        super().__init__("it did not answer a moment ago")


#: Until when the broker is left alone, by a clock that nobody can set; 0 when it answered last.
_rests_until = [0.0]


@contextmanager
def sparing() -> Iterator[None]:
    """
    Ask the broker for what can be done without it; raises Away instead of waiting like others.

    A server that refuses costs nothing. One that is silent, as behind a network that drops what is
    sent, would have every thread of a web process wait for it again and again: so one asks, and
    others go on without it meanwhile.
    """
    begun = time.monotonic()
    if begun < _rests_until[0]:
        raise Away
    if _rests_until[0]:
        _rests_until[0] = begun + TIMEOUT
    try:
        yield
    except (OperationalError, RedisError):
        now = time.monotonic()
        _rests_until[0] = now + REST if now - begun > SLOW else 0.0
        raise
    _rests_until[0] = 0.0


def outdated() -> str:
    """
    Say what to do about a server that is older than Sluice is made for; nothing where it is not.

    Nothing either of a server that is away, or that does not tell its version.
    """
    try:
        facts = client().info("server")
    except RedisError:
        return ""
    # Valkey tells of a Redis, too, which it takes the place of.
    name = "Valkey" if "valkey_version" in facts else "Redis"
    version = str(facts.get(f"{name.lower()}_version", ""))
    numbers = re.match(r"(\d+)\.(\d+)", version)
    if numbers is None or (int(numbers[1]), int(numbers[2])) >= _OLDEST[name]:
        return ""
    oldest = " or ".join(f"{each} {major}.{minor}" for each, (major, minor) in _OLDEST.items())
    return f"The broker is {name} {version}, and Sluice is made for {oldest} or newer; upgrade it."
