"""
Rate limits of API tokens, counted in the broker for all web processes.

Each token has a token bucket that holds ten seconds' worth of requests and is refilled
continuously. So short bursts pass, and a loop without pauses is limited. The broker counts
atomically and by its own clock. If the broker is down, requests are not limited: the limit
provides fairness, and no request is lost because of it.
"""

from __future__ import annotations

import math
import time
from functools import lru_cache
from typing import Final

import structlog
from django.conf import settings
from redis import Redis, RedisError
from redis.backoff import NoBackoff
from redis.retry import Retry

from console.errors import RetryLater

#: Size of the bucket: seconds' worth of requests.
BURST: Final = 10

#: Timeout of the broker in seconds.
_TIMEOUT: Final = 0.25

#: Seconds for which a process does not call the broker after an error.
_PAUSE: Final = 1.0

#: Takes one request from the bucket KEYS[1] with the size ARGV[2] and the refill rate ARGV[1] per
#: second. Returns 0, or the milliseconds until the next request is available.
_TAKE: Final = """
local now = redis.call('TIME')
local at = tonumber(now[1]) + tonumber(now[2]) / 1000000
local rate, most = tonumber(ARGV[1]), tonumber(ARGV[2])
local kept = redis.call('HMGET', KEYS[1], 'left', 'at')
local passed = math.max(0, at - (tonumber(kept[2]) or at))
local left = math.min(most, (tonumber(kept[1]) or most) + passed * rate)
local wait = 0
if left >= 1 then
  left = left - 1
else
  wait = math.ceil((1 - left) / rate * 1000)
end
redis.call('HSET', KEYS[1], 'left', string.format('%.6f', left), 'at', string.format('%.6f', at))
redis.call('PEXPIRE', KEYS[1], math.ceil(most / rate * 1000) + 1000)
return wait
"""

log = structlog.get_logger("console.broker")


class TooManyRequests(RetryLater):
    """A token exceeds its rate limit; it can send a request again after *seconds*."""

    status = 429
    title = "Too many requests"

    def __init__(self, rate: int, seconds: int) -> None:
        super().__init__(
            "too_many_requests",
            f"A token can send {rate:,} requests per second; repeat this one in {seconds} s. "
            "Submit several workloads with one request.",
            seconds,
        )


class _Buckets:
    """Client of the token buckets in the broker."""

    def __init__(self, url: str) -> None:
        broker = Redis.from_url(
            url,
            socket_timeout=_TIMEOUT,
            socket_connect_timeout=_TIMEOUT,
            retry=Retry(NoBackoff(), 1),
        )
        self._take = broker.register_script(_TAKE)
        self._paused_until = 0.0

    def take(self, token: int, rate: int) -> int:
        """Take one request from a bucket; return 0, or the milliseconds until one is available."""
        if time.monotonic() < self._paused_until:
            return 0
        try:
            return int(self._take(keys=[f"sluice:rate:{token}"], args=[rate, rate * BURST]))
        except RedisError as error:
            self._paused_until = time.monotonic() + _PAUSE
            log.warning("rate limits are not applied", error=str(error))
            return 0


_buckets = lru_cache(maxsize=1)(_Buckets)


def count_request(token: int) -> None:
    """Count one request of the token with this number; raises TooManyRequests."""
    rate: int = settings.TOKEN_REQUESTS_PER_SECOND
    if not rate:
        return
    wait = _buckets(settings.REDIS_URL).take(token, rate)
    if wait:
        raise TooManyRequests(rate, math.ceil(wait / 1000))
