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
_kept: OrderedDict[_Key, Reading] = OrderedDict()


def read_kept(dialect: Dialect, text: str, past: Mapping[str, PastSpec]) -> Reading:
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
    told = {name: (each.version, each.spec) for name, each in past.items()}
    return _read(dialect, text, past, json.dumps(told, sort_keys=True))


def forget_readings() -> None:
    """Clear the cache."""
    with _lock:
        _kept.clear()


def _read(dialect: Dialect, text: str, past: Mapping[str, PastSpec], told: str) -> Reading:
    key = dialect.name, text, told
    with _lock:
        known = _kept.get(key)
        if known is not None:
            _kept.move_to_end(key)
            return known
    reading = dialect.read(text, past)
    if _size(key) <= MOST_CHARACTERS:
        with _lock:
            _kept[key] = reading
            _make_room()
    return reading


def _make_room() -> None:
    size = sum(map(_size, _kept))
    while size > MOST_CHARACTERS or len(_kept) > MOST_READINGS:
        dropped, _ = _kept.popitem(last=False)
        size -= _size(dropped)


def _size(key: _Key) -> int:
    _, text, told = key
    return len(text) + len(told)
