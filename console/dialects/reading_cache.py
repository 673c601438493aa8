"""
Readings that are remembered: a text says the same whenever it is read.

What is kept is found by the whole text, and by what was fixed before where that matters, so an
answer is never old and never that of another text. Pure, but for the memory: nothing that runs or
waits has a part in a reading.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Mapping
from threading import Lock
from typing import Final, TypeAlias

from console.dialects.base import Dialect, PastSpec, Reading

#: Characters of all texts whose readings one process keeps. A reading takes about 40 bytes for
#: each, so that is 50 MB at most: one text of 1 MiB, or five of 7,000 lines.
MOST_CHARACTERS: Final = 1_250_000

#: Readings that are kept, however short their texts are.
MOST_READINGS: Final = 64

#: Language, text, and what was fixed before, as a text; empty where it makes no difference.
_Key: TypeAlias = tuple[str, str, str]

_lock = Lock()
_kept: OrderedDict[_Key, Reading] = OrderedDict()


def read_kept(dialect: Dialect, text: str, past: Mapping[str, PastSpec]) -> Reading:
    """
    Return the reading of *text* in *dialect*, given the fixed queue specs; never raises.

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
    """Drop what is kept; the next one to ask reads anew."""
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
