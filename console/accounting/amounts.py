"""
Exact resource-time: thousandths of a resource times milliseconds, by hour.

Spans have a sign: a span that ends before it begins has negative parts. So the parts of a span from
a to b and of one from b to c always add up to those of the span from a to c.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Final

#: Milliseconds of an hour.
HOUR: Final = 3_600_000

#: Hours of a day and of a week. The first Monday is four days after the start of 1970.
DAY: Final = 24
WEEK: Final = 7 * DAY
MONDAY: Final = 4 * DAY

#: Amounts are stored as multiples of this and a rest. A stored rest may exceed it: each addition to
#: a row adds another rest. `console.accounting.sums` adds up rows.
RADIX: Final = 10**12

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def by_hour(since: int, until: int) -> Iterator[tuple[int, int]]:
    """
    Yield each hour of a span of milliseconds since 1970, and the milliseconds of the span in it.

    >>> list(by_hour(3_000_000, 3_700_000)), list(by_hour(3_700_000, 3_000_000))
    ([(0, 600000), (1, 100000)], [(0, -600000), (1, -100000)])
    """
    sign = 1 if since <= until else -1
    first, last = min(since, until), max(since, until)
    while first < last:
        hour = first // HOUR
        end = min(last, (hour + 1) * HOUR)
        yield hour, sign * (end - first)
        first = end


def split(amount: int) -> tuple[int, int]:
    """
    Return *amount* as a multiple of `RADIX` and a rest.

    >>> split(-1)
    (-1, 999999999999)
    """
    return divmod(amount, RADIX)


def joined(high: int, low: int) -> int:
    """Return the amount of a multiple of `RADIX` and a rest of any size."""
    return high * RADIX + low


def time_of_hour(hour: int) -> datetime:
    """Return the start of an hour."""
    return _EPOCH + timedelta(hours=hour)


def hour_of(moment: datetime) -> int:
    """Return the hour that contains *moment*."""
    return (moment - _EPOCH) // timedelta(hours=1)


def time_of(moment: int) -> datetime:
    """Return the time of milliseconds since 1970."""
    return _EPOCH + timedelta(milliseconds=moment)


def in_seconds(amount: int) -> int | float:
    """
    Return resource-time in seconds of whole units, rounded to a thousandth.

    >>> in_seconds(2_000 * HOUR), in_seconds(1_500)
    (7200, 0.002)
    """
    thousandths = (amount + 500) // 1000
    return thousandths // 1000 if thousandths % 1000 == 0 else thousandths / 1000
