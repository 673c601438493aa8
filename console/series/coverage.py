"""Coverage: the sampled minutes of an hour, as bits of one number, and the gaps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Final

MINUTE: Final = timedelta(minutes=1)
HOUR: Final = timedelta(hours=1)
DAY: Final = timedelta(days=1)

#: A time span; its end is exclusive.
Span = tuple[datetime, datetime]


def floor_minute(moment: datetime) -> datetime:
    """Return the start of the minute of *moment*, in UTC."""
    return moment.astimezone(UTC).replace(second=0, microsecond=0)


def floor_hour(moment: datetime) -> datetime:
    """Return the start of the hour of *moment*, in UTC."""
    return floor_minute(moment).replace(minute=0)


def floor_day(moment: datetime) -> datetime:
    """Return the start of the day of *moment*, in UTC."""
    return floor_hour(moment).replace(hour=0)


def bit_of(minute: datetime) -> int:
    """Return the bit of *minute* in its hour."""
    return 1 << minute.minute


def between(minutes: int, first: int, end: int) -> int:
    """
    Return how many of the sampled *minutes* of an hour lie from *first* until *end*, exclusive.

    >>> between(0b1011, 0, 60), between(0b1011, 1, 3)
    (3, 1)
    """
    return (minutes >> first & (1 << max(0, end - first)) - 1).bit_count()


def is_sampled(hours: Mapping[datetime, int], minute: datetime) -> bool:
    """Return whether *minute* was sampled."""
    return bool(hours.get(floor_hour(minute), 0) & bit_of(minute))


def gaps(hours: Mapping[datetime, int], since: datetime, until: datetime) -> Iterator[Span]:
    """
    Yield the spans from *since* to *until* without samples.

    *hours* has the sampled minutes by hour; both ends are whole minutes.
    """
    begun: datetime | None = None
    moment = since
    while moment < until:
        hour = floor_hour(moment)
        minutes = hours.get(hour, 0)
        step = MINUTE
        if minutes in (0, _WHOLE):
            # The whole hour is sampled, or none of it.
            step = hour + HOUR - moment
        if minutes & bit_of(moment):
            if begun is not None:
                yield begun, moment
            begun = None
        elif begun is None:
            begun = moment
        moment += step
    if begun is not None:
        yield begun, until


_WHOLE: Final = (1 << 60) - 1
