"""Durations in the notation of Go, such as ``1h15m30.5s``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Final

#: Nanoseconds by unit.
GO_UNITS: Final[Mapping[str, int]] = {
    "ns": 1,
    "us": 10**3,
    "\u00b5s": 10**3,  # micro sign
    "\u03bcs": 10**3,  # Greek letter mu
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "h": 3600 * 10**9,
}

NANOSECONDS_IN_MILLISECOND: Final = 10**6

_PART: Final = re.compile(r"([0-9]+\.?[0-9]*|\.[0-9]+)([^0-9.]+)")

#: The most nanoseconds that Go can represent.
_MOST: Final = 2**63 - 1

#: The most characters of a text that is read.
_LONGEST: Final = 100


def go_nanoseconds(text: str, units: Mapping[str, int] = GO_UNITS) -> int | None:
    """
    Return a duration in nanoseconds, rounded towards zero; None if *text* is not one.

    *units* are the nanoseconds of each unit that the text may have.

    >>> go_nanoseconds("1m0.5s"), go_nanoseconds("-2us"), go_nanoseconds("0")
    (60500000000, -2000, 0)
    >>> go_nanoseconds("2d") is None, go_nanoseconds("5") is None
    (True, True)
    """
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
    return sign * int(nanoseconds)


def write_go_duration(nanoseconds: int) -> str:
    """
    Return a duration in the notation of Go.

    >>> [write_go_duration(each * 10**6) for each in (0, 250, 1500, 30_000, 3_690_000)]
    ['0s', '250ms', '1.5s', '30s', '1h1m30s']
    """
    if nanoseconds < 0:
        return f"-{write_go_duration(-nanoseconds)}"
    if nanoseconds < GO_UNITS["s"]:
        units = ("ms", "\u00b5s")
        unit = next((each for each in units if nanoseconds >= GO_UNITS[each]), "ns")
        return f"{_decimal(nanoseconds, unit)}{unit}" if nanoseconds else "0s"
    minutes, rest = divmod(nanoseconds, GO_UNITS["m"])
    hours, minutes = divmod(minutes, 60)
    before = f"{hours}h{minutes}m" if hours else f"{minutes}m" if minutes else ""
    return f"{before}{_decimal(rest, 's')}s"


def _decimal(nanoseconds: int, unit: str) -> str:
    whole, rest = divmod(nanoseconds, GO_UNITS[unit])
    if not rest:
        return str(whole)
    digits = len(str(GO_UNITS[unit])) - 1
    return f"{whole}.{rest:0{digits}d}".rstrip("0")


def go_text(seconds: int) -> str:
    """
    Return a duration of whole *seconds* in the notation of Go, without units that are zero.

    >>> go_text(5400), go_text(45), go_text(0)
    ('1h30m', '45s', '0s')
    """
    minutes, rest = divmod(seconds, 60)
    parts = ((minutes // 60, "h"), (minutes % 60, "m"), (rest, "s"))
    return "".join(f"{number}{unit}" for number, unit in parts if number) or "0s"
