"""The one client of the broker outside Celery."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from django.conf import settings
from redis import Redis, RedisError
from redis.backoff import NoBackoff
from redis.retry import Retry

#: Seconds after which an unreachable broker counts as down, rather than waiting for ever.
TIMEOUT = 2

#: The oldest servers that Sluice is made for, by name: the first two numbers of their versions.
_OLDEST: Final = {"Redis": (7, 2), "Valkey": (8, 0)}


@lru_cache(maxsize=1)
def client() -> Redis:
    """Return this process's client; its calls raise redis.RedisError when the broker is down."""
    return Redis.from_url(
        settings.REDIS_URL,
        socket_timeout=TIMEOUT,
        socket_connect_timeout=TIMEOUT,
        # Once, for a connection that went stale; a broker that is down is told at once.
        retry=Retry(NoBackoff(), 1),
    )


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
