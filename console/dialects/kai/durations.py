"""Durations as KAI reads them: those of Go, in arguments of plugins also with days and weeks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Final

#: Nanoseconds by unit.
_UNITS: Final[Mapping[str, int]] = {
    "ns": 1,
    "us": 10**3,
    "\u00b5s": 10**3,  # micro sign
    "\u03bcs": 10**3,  # Greek letter mu
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "h": 3600 * 10**9,
}

#: The same with the units that only arguments of plugins may have.
_LONG_UNITS: Final[Mapping[str, int]] = {
    **_UNITS,
    "d": 24 * _UNITS["h"],
    "w": 7 * 24 * _UNITS["h"],
}

_PART: Final = re.compile(r"([0-9]+\.?[0-9]*|\.[0-9]+)([^0-9.]+)")

#: The most nanoseconds that Go can represent.
_MOST: Final = 2**63 - 1

#: The most characters of a text that is read.
_LONGEST: Final = 100

_NANOSECONDS_IN_MILLISECOND: Final = 10**6


def read_duration(text: str) -> int | None:
    """
    Return a duration of Go in whole milliseconds, rounded towards zero; None if it is not one.

    >>> read_duration("1h15m"), read_duration("-1.5s"), read_duration("0")
    (4500000, -1500, 0)
    >>> read_duration("2d") is None, read_duration("5") is None
    (True, True)
    """
    return _read(text, _UNITS)


def read_plugin_duration(text: str) -> int | None:
    """
    Return the duration in an argument of a plugin in milliseconds, rounded towards zero.

    None if the text is not one or is negative: KAI takes 0 instead, and reports nothing.

    >>> read_plugin_duration("1w2d"), read_plugin_duration("-5s")
    (777600000, None)
    """
    found = _read(text, _LONG_UNITS)
    return None if found is None or found < 0 else found


def _read(text: str, units: Mapping[str, int]) -> int | None:
    sign = -1 if text.startswith("-") else 1
    rest = text[1:] if text.startswith(("+", "-")) else text
    if rest == "0":
        return 0
    if not rest or len(rest) > _LONGEST:
        return None
    nanoseconds = Fraction(0)
    at = 0
    while at < len(rest):
        part = _PART.match(rest, at)
        if part is None or part[2] not in units:
            return None
        nanoseconds += Fraction(part[1]) * units[part[2]]
        at = part.end()
    if nanoseconds > _MOST:
        return None
    return sign * int(nanoseconds / _NANOSECONDS_IN_MILLISECOND)
