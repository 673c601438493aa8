"""The cache in the broker, with a memory of each process in its place while that is away."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import structlog
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from redis import RedisError

log = structlog.get_logger("console.broker")


def _or_own(name: str) -> Callable[..., Any]:
    """Return the method *name* of the cache, which is done in own memory without the broker."""
    shared = getattr(RedisCache, name)

    @wraps(shared)
    def method(self: BrokerCache, *args: Any, **kwargs: Any) -> Any:
        try:
            return shared(self, *args, **kwargs)
        except RedisError as error:
            log.warning("the cache of the broker does not answer", error=str(error))
            return getattr(self.own, name)(*args, **kwargs)

    return method


class BrokerCache(RedisCache):
    """
    What all processes share for a while: who guesses passwords, which forms were sent.

    Without the broker each process counts for itself, from nothing: nobody has to wait for
    it to sign in, and guessing stays slow.
    """

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        #: Shared by all threads of the process, whose caches are objects of their own.
        self.own = LocMemCache("while the broker is away", {})

    add = _or_own("add")
    get = _or_own("get")
    set = _or_own("set")
    incr = _or_own("incr")
    delete_many = _or_own("delete_many")
