"""
How many requests a token may make: counted in the broker, for all web processes together.

A token has a bucket that holds as many requests as it may make in a second, ten times over, and
that fills again all the time. So a burst passes, and a loop that never rests does not. The
broker counts in one step by its own clock. Without it nothing is counted and nobody is held up:
a limit is there for fairness, and work is never lost for it.
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

#: Seconds' worth of requests that may come at once.
BURST: Final = 10

#: Seconds that the broker is given: a request waits for it no longer.
_PATIENCE: Final = 0.25

#: Seconds for which a process asks it no more when it did not answer.
_REST: Final = 1.0

#: Takes one request out of the bucket KEYS[1], which holds ARGV[2] and gains ARGV[1] a second.
#: Answers with 0, or with the milliseconds until there is one.
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
    """A token makes more requests than it may; *seconds* later there is room again."""

    status = 429
    title = "Too many requests"

    def __init__(self, rate: int, seconds: int) -> None:
        super().__init__(
            "too_many_requests",
            f"A token may make {rate:,} requests a second; send this one again in {seconds} s. "
            "Hand in many workloads with one request.",
            seconds,
        )


class _Buckets:
    """The buckets of all tokens, as this process reaches them."""

    def __init__(self, url: str) -> None:
        broker = Redis.from_url(
            url,
            socket_timeout=_PATIENCE,
            socket_connect_timeout=_PATIENCE,
            retry=Retry(NoBackoff(), 1),
        )
        self._take = broker.register_script(_TAKE)
        self._away_until = 0.0

    def take(self, token: int, rate: int) -> int:
        """Take one request; return the milliseconds until there is one, 0 when there was."""
        if time.monotonic() < self._away_until:
            return 0
        try:
            return int(self._take(keys=[f"sluice:rate:{token}"], args=[rate, rate * BURST]))
        except RedisError as error:
            self._away_until = time.monotonic() + _REST
            log.warning("requests of tokens are not counted", error=str(error))
            return 0


_buckets = lru_cache(maxsize=1)(_Buckets)


def count_request(token: int) -> None:
    """Count one request of the token of this number; raises TooManyRequests."""
    rate: int = settings.TOKEN_REQUESTS_PER_SECOND
    if not rate:
        return
    wait = _buckets(settings.REDIS_URL).take(token, rate)
    if wait:
        raise TooManyRequests(rate, math.ceil(wait / 1000))
