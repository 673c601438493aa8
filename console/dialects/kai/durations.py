"""Durations as KAI reads them: those of Go, in arguments of plugins also with days and weeks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from console.engine.model.go_durations import (
    GO_UNITS,
    NANOSECONDS_IN_MILLISECOND,
    go_nanoseconds,
)

#: Nanoseconds by unit, with the units that only arguments of plugins may have.
_LONG_UNITS: Final[Mapping[str, int]] = {
    **GO_UNITS,
    "d": 24 * GO_UNITS["h"],
    "w": 7 * 24 * GO_UNITS["h"],
}


def read_duration(text: str) -> int | None:
    """
    Return a duration of Go in whole milliseconds, rounded towards zero; None if it is not one.

    >>> read_duration("1h15m"), read_duration("-1.5s"), read_duration("0")
    (4500000, -1500, 0)
    >>> read_duration("2d") is None, read_duration("5") is None
    (True, True)
    """
    return _milliseconds(go_nanoseconds(text))


def read_plugin_duration(text: str) -> int | None:
    """
    Return the duration in an argument of a plugin in milliseconds, rounded towards zero.

    None if the text is not one or is negative: KAI takes 0 instead, and reports nothing.

    >>> read_plugin_duration("1w2d"), read_plugin_duration("-5s")
    (777600000, None)
    """
    found = _milliseconds(go_nanoseconds(text, _LONG_UNITS))
    return None if found is None or found < 0 else found


def _milliseconds(nanoseconds: int | None) -> int | None:
    if nanoseconds is None:
        return None
    size = abs(nanoseconds) // NANOSECONDS_IN_MILLISECOND
    return size if nanoseconds >= 0 else -size
