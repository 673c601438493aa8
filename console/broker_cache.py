"""Django's cache in the broker, with a fallback to process memory while the broker is down."""

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
    Serializer of cache values as JSON.

    Django's own serializer unpickles values, and so would run code of anyone who can write to the
    broker.
    """

    def dumps(self, value: Any) -> str:
        """Return *value* as JSON; raises TypeError if JSON cannot express it."""
        return json.dumps(value)

    def loads(self, data: bytes) -> Any:
        """Return the value of *data*; raises ValueError unless it is JSON."""
        return json.loads(data)


def _with_fallback(name: str) -> Callable[..., Any]:
    """Return the cache method *name*, which falls back to process memory without the broker."""
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
    Cache shared by all processes: sign-in attempts and submitted forms.

    Values are JSON. Without the broker, each process counts for itself, starting at zero: signing
    in does not wait for the broker, and guessing passwords stays slow.
    """

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        options = {**params.get("OPTIONS", {}), "serializer": JsonSerializer()}
        super().__init__(server, {**params, "OPTIONS": options})
        #: Shared by all threads of the process: LocMemCache stores values by its name, while
        #: each thread has its own cache object.
        self.own = LocMemCache("while the broker is away", {})

    add = _with_fallback("add")
    get = _with_fallback("get")
    set = _with_fallback("set")
    incr = _with_fallback("incr")
    touch = _with_fallback("touch")
