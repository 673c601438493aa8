"""The one client of the broker outside Celery."""

from __future__ import annotations

from functools import lru_cache

from django.conf import settings
from redis import Redis
from redis.backoff import NoBackoff
from redis.retry import Retry

#: Seconds after which an unreachable broker counts as down, rather than waiting for ever.
TIMEOUT = 2


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
