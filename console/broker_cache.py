"""The cache in the broker, with a memory of each process in its place while that is away."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import wraps
from typing import Any

import structlog
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from redis import RedisError

log = structlog.get_logger("console.broker")


class JsonSerializer:
    """
    Writes values of the cache as JSON.

    Django's own would unpickle what it reads, and so run what a writer of the broker put there.
    """

    def dumps(self, value: Any) -> str:
        """Return *value* as JSON; raises TypeError for what JSON does not have."""
        return json.dumps(value)

    def loads(self, data: bytes) -> Any:
        """Return the value that *data* is; raises ValueError for other than JSON."""
        return json.loads(data)


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
        except ValueError as error:
            if name != "get":
                raise
            log.warning("the cache of the broker holds what is not JSON", error=str(error))
            return getattr(self.own, name)(*args, **kwargs)

    return method


class BrokerCache(RedisCache):
    """
    What all processes share for a while: attempts to sign in, and forms that were sent.

    Values are what JSON has. Without the broker each process counts for itself, from nothing:
    signing in waits for no broker, and guessing stays slow.
    """

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        options = {**params.get("OPTIONS", {}), "serializer": JsonSerializer()}
        super().__init__(server, {**params, "OPTIONS": options})
        #: Shared by all threads of the process, whose caches are objects of their own.
        self.own = LocMemCache("while the broker is away", {})

    add = _or_own("add")
    get = _or_own("get")
    set = _or_own("set")
    incr = _or_own("incr")
    touch = _or_own("touch")
