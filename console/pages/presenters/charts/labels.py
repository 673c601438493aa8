"""Text of chart labels (amounts, counts, durations), and the steps of axes."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Final

from console.engine.model.amounts import SCALE
from console.engine.wording.words import counts_bytes, quantity

_BYTE_UNITS: Final = ("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")
_UNITS: Final = ("", "k", "M", "G", "T", "P", "E")

#: Steps of axes of waits, in seconds.
_SPANS: Final = tuple(
    float(n)
    for n in (
        *(0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30),
        *(60 * n for n in (1, 2, 5, 10, 15, 30)),
        *(3600 * n for n in (1, 2, 3, 6, 12)),
        *(86400 * n for n in (1, 2, 5, 10, 20, 50, 100)),
    )
)


def about(amount: float, resource: str) -> str:
    """
    Return the text of an amount in thousandths, rounded and without its resource; means are floats.

    >>> about(4000, "gpu"), about(2666.7, "gpu"), about(2**40 * 1000 / 3, "memory")
    ('4', '2.67', '341.33Gi')
    >>> about(123456789, "gpu")
    '123456.79'
    """
    if amount == int(amount):
        exact = quantity(int(amount), resource)
        if len(exact) <= 8:
            return exact
    value, unit = amount / SCALE, 0
    if counts_bytes(resource):
        while value >= 1024 and unit < len(_BYTE_UNITS) - 1:
            value, unit = value / 1024, unit + 1
    return plain(value) + _BYTE_UNITS[unit]


def short(amount: float, resource: str = "") -> str:
    """
    Return the label of an axis: *amount* in thousandths of *resource*, or a count without one.

    >>> short(4000, "gpu"), short(2**40 * 1000, "memory"), short(20_000_000, "cpu")
    ('4', '1Ti', '20k')
    >>> short(9000), short(2_500_000), short(4e18)
    ('9000', '2.5M', '4E')
    """
    if resource and counts_bytes(resource):
        return about(amount, resource)
    value, unit = amount / SCALE if resource else amount, 0
    if value >= 10_000:
        while value >= 1000 and unit < len(_UNITS) - 1:
            value, unit = value / 1000, unit + 1
    return plain(value) + _UNITS[unit]


def plain(value: float) -> str:
    """
    Return *value* as text with at most two decimals.

    >>> plain(3.0), plain(2.5), plain(0.666)
    ('3', '2.5', '0.67')
    """
    return f"{value:.2f}".rstrip("0").rstrip(".")


def span(seconds: float) -> str:
    """
    Return the text of a duration, in its two largest units.

    >>> span(0), span(4.3), span(75), span(3600), span(90061)
    ('under 0.1 s', '4.3 s', '1 min 15 s', '1 h', '1 d 1 h')
    """
    if seconds < 0.1:
        return "under 0.1 s"
    if seconds < 10:
        return f"{plain(round(seconds, 1))} s"
    whole = round(seconds)
    for size, unit, small, smaller in (
        (86400, "d", 3600, "h"),
        (3600, "h", 60, "min"),
        (60, "min", 1, "s"),
    ):
        if whole >= size:
            rest = whole % size // small
            return f"{whole // size} {unit}" + (f" {rest} {smaller}" if rest else "")
    return f"{whole} s"


def moment(at: datetime) -> str:
    """Return the text of a time in UTC."""
    return f"{at:%Y-%m-%d %H:%M}"


def amount_steps(resource: str) -> Iterator[float]:
    """Yield the steps of axes of *resource*, ascending, in thousandths."""
    if counts_bytes(resource):
        yield from (SCALE * 2.0**power for power in range(64))
    else:
        yield from (n * 10.0**power for power in range(22) for n in (1, 2, 5))


def count_steps() -> Iterator[float]:
    """Yield the steps of axes of counts, ascending."""
    yield from (n * 10.0**power for power in range(12) for n in (1, 2, 5))


def span_steps() -> Iterator[float]:
    """Yield the steps of axes of waits, ascending, in seconds."""
    yield from _SPANS
