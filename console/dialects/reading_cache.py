"""
A cache of readings per process, because reading a text always gives the same result.

The key is the whole text and, if it makes a difference, the past specs, so an entry is never stale.
Apart from the cache, reading is pure: it does not depend on live workloads.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Mapping
from threading import Lock
from typing import Final, TypeAlias

from console.dialects.base import Dialect, PastSpec, Reading

#: Maximum number of characters of all cached texts of a process. A reading takes about 40 bytes
#: per character, so that is at most 50 MB: one text of 1 MiB, or five of 7,000 lines.
MOST_CHARACTERS: Final = 1_250_000

#: Maximum number of cached readings, even of short texts.
MOST_READINGS: Final = 64

#: Language, text, and the past specs as JSON; "" if they make no difference.
_Key: TypeAlias = tuple[str, str, str]

_lock = Lock()
_cache: OrderedDict[_Key, Reading] = OrderedDict()


def read_cached(dialect: Dialect, text: str, past: Mapping[str, PastSpec]) -> Reading:
    """
    Return the reading of *text* in *dialect*, given the *past* specs; never raises.

    The value is shared between callers and must not be modified.
    """
    reading = _read(dialect, text, {}, "")
    differs = any(
        name in past and past[name].spec != spec for name, spec in reading.queue_specs.items()
    )
    if not differs:
        # Unchanged specs are not reported.
        return reading
    fixed = {name: (each.version, each.spec) for name, each in past.items()}
    return _read(dialect, text, past, json.dumps(fixed, sort_keys=True))


def clear_cached_readings() -> None:
    """Clear the cache."""
    with _lock:
        _cache.clear()


def _read(dialect: Dialect, text: str, past: Mapping[str, PastSpec], past_json: str) -> Reading:
    key = dialect.name, text, past_json
    with _lock:
        known = _cache.get(key)
        if known is not None:
            _cache.move_to_end(key)
            return known
    reading = dialect.read(text, past)
    if _size(key) <= MOST_CHARACTERS:
        with _lock:
            _cache[key] = reading
            _evict()
    return reading


def _evict() -> None:
    size = sum(map(_size, _cache))
    while size > MOST_CHARACTERS or len(_cache) > MOST_READINGS:
        dropped, _ = _cache.popitem(last=False)
        size -= _size(dropped)


def _size(key: _Key) -> int:
    _, text, past_json = key
    return len(text) + len(past_json)
