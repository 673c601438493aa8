"""Text of chart labels (amounts, counts, durations), and the steps of axes."""

from __future__ import annotations

from collections.abc import Iterator
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


def rounded_amount(amount: float, resource: str) -> str:
    """
    Return the text of an amount in thousandths, rounded and without its resource; means are floats.

    >>> rounded_amount(4000, "gpu"), rounded_amount(2**40 * 1000 / 3, "memory")
    ('4', '341.33Gi')
    >>> rounded_amount(2666.7, "gpu")
    '2.67'
    >>> rounded_amount(123456789, "gpu")
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
    return decimal_text(value) + _BYTE_UNITS[unit]


def axis_label(amount: float, resource: str = "") -> str:
    """
    Return the label of an axis: *amount* in thousandths of *resource*, or a count without one.

    >>> axis_label(4000, "gpu"), axis_label(2**40 * 1000, "memory"), axis_label(20_000_000, "cpu")
    ('4', '1Ti', '20k')
    >>> axis_label(9000), axis_label(2_500_000), axis_label(4e18)
    ('9000', '2.5M', '4E')
    """
    if resource and counts_bytes(resource):
        return rounded_amount(amount, resource)
    value, unit = amount / SCALE if resource else amount, 0
    if value >= 10_000:
        while value >= 1000 and unit < len(_UNITS) - 1:
            value, unit = value / 1000, unit + 1
    return decimal_text(value) + _UNITS[unit]


def decimal_text(value: float) -> str:
    """
    Return *value* as text with at most two decimals.

    >>> decimal_text(3.0), decimal_text(2.5), decimal_text(0.666)
    ('3', '2.5', '0.67')
    """
    return f"{value:.2f}".rstrip("0").rstrip(".")


def duration_text(seconds: float) -> str:
    """
    Return the text of a duration, in its two largest units.

    >>> [duration_text(seconds) for seconds in (0, 4.3, 75, 3600, 90061)]
    ['under 0.1 s', '4.3 s', '1 min 15 s', '1 h', '1 d 1 h']
    """
    if seconds < 0.1:
        return "under 0.1 s"
    if seconds < 10:
        return f"{decimal_text(round(seconds, 1))} s"
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
