"""
Formats of a member: time zone, order of dates, clock and grouping of digits.

The formats of the reader are active while a page is rendered (`using`), so templates and presenters
ask for `active_formats`. The API, files and addresses do not use them: their times are in UTC.

When clocks go back, one hour of local times occurs twice. Then even a time in a table whose header
states the zone has its offset from UTC.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from typing import Final, Self
from zoneinfo import ZoneInfo

from console.orgs.models import Clock, DateOrder, Grouping, User
from console.orgs.time_zones import DEFAULT_ZONE, find_zone

_MINUTE: Final = timedelta(minutes=1)

# Not by `strftime`, which is slow and depends on the locale: a page has hundreds of times.
_MONTHS: Final = (
    *("Jan", "Feb", "Mar", "Apr", "May", "Jun"),
    *("Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
)

#: The separator of groups of thousands.
_SEPARATORS: Final = {
    Grouping.THIN: "\N{NARROW NO-BREAK SPACE}",
    Grouping.COMMA: ",",
    Grouping.POINT: ".",
    Grouping.NONE: "",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonalFormats:
    """The formats of times and counts on the pages of one reader."""

    #: IANA name of a time zone that exists on this machine.
    zone: str = DEFAULT_ZONE
    date_order: DateOrder = DateOrder.ISO
    clock: Clock = Clock.HOURS_24
    grouping: Grouping = Grouping.THIN

    @classmethod
    def of(cls, user: User) -> PersonalFormats:
        """Return the formats of *user*."""
        return cls.from_values(user.time_zone, user.date_order, user.clock, user.grouping)

    @classmethod
    def from_values(
        cls, time_zone: str, date_order: str, clock: str, grouping: str
    ) -> PersonalFormats:
        """Return the formats of stored values; the default for each that does not exist here."""
        return _formats_of(time_zone, date_order, clock, grouping)

    @property
    def key(self) -> str:
        """
        A text that differs between formats, for the keys of caches of rendered pages.

        >>> PersonalFormats(zone="Europe/Berlin", clock=Clock.HOURS_12).key
        'Europe/Berlin.iso.12.thin'
        """
        return f"{self.zone}.{self.date_order}.{self.clock}.{self.grouping}"

    @property
    def separator(self) -> str:
        """The separator of groups of thousands; empty for none."""
        return _SEPARATORS[self.grouping]

    def in_utc(self) -> Self:
        """Return the same formats in UTC, for days that are stored as days in UTC."""
        return replace(self, zone=DEFAULT_ZONE)

    def local(self, at: datetime) -> datetime:
        """Return *at* in the time zone."""
        return at.astimezone(_zone(self.zone))

    def moments(self, wall: datetime) -> tuple[datetime, ...]:
        """
        Return the moments in UTC at which clocks of the zone show *wall*, which has no zone.

        There are two when clocks go back, and none when they skip the time; the first is earlier.
        """
        zone = _zone(self.zone)
        found = (wall.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
        return tuple(
            dict.fromkeys(at for at in found if at.astimezone(zone).replace(tzinfo=None) == wall)
        )

    def first_moment(self, wall: datetime) -> datetime:
        """
        Return the first moment in UTC at which clocks of the zone show *wall*.

        A time that clocks skip is counted on from before they go forward, so it is shown later.

        >>> berlin = PersonalFormats(zone="Europe/Berlin")
        >>> f"{berlin.local(berlin.first_moment(datetime(2026, 3, 29, 2, 30))):%H:%M}"
        '03:30'
        """
        return wall.replace(tzinfo=_zone(self.zone), fold=0).astimezone(UTC)

    def offset(self, at: datetime) -> str:
        """
        Return the difference of the zone from UTC at *at*.

        >>> at = datetime(2026, 11, 29, tzinfo=UTC)
        >>> [PersonalFormats(zone=zone).offset(at) for zone in ("UTC", "Asia/Kolkata")]
        ['UTC', 'UTC+5:30']
        """
        return _offset(self.local(at))

    def day(self, at: datetime) -> str:
        """
        Return the date.

        >>> at = datetime(2026, 11, 29, tzinfo=UTC)
        >>> [PersonalFormats(date_order=order).day(at) for order in DateOrder]
        ['2026-11-29', '29 Nov 2026', 'Nov 29, 2026']
        """
        return self._date(self.local(at))

    def short_day(self, at: datetime) -> str:
        """
        Return the date without its year.

        >>> PersonalFormats().short_day(datetime(2026, 11, 29, tzinfo=UTC))
        '29 Nov'
        """
        return self._short_date(self.local(at))

    def time_of_day(self, at: datetime) -> str:
        """
        Return the time of day to the minute, without a zone.

        >>> at = datetime(2026, 11, 29, 0, 5, tzinfo=UTC)
        >>> [PersonalFormats(clock=clock).time_of_day(at) for clock in Clock]
        ['00:05', '12:05 AM']
        """
        return self._time(self.local(at), "")

    def clock_text(self, at: datetime) -> str:
        """
        Return the time of day to the second, with its offset.

        >>> PersonalFormats().clock_text(datetime(2026, 11, 29, 14, 5, 9, tzinfo=UTC))
        '14:05:09 UTC'
        """
        local = self.local(at)
        return f"{self._time(local, f':{local.second:02}')} {_offset(local)}"

    def minute(self, at: datetime) -> str:
        """
        Return date and time to the minute, with its offset.

        >>> PersonalFormats().minute(datetime(2026, 11, 29, 14, 5, tzinfo=UTC))
        '2026-11-29 14:05 UTC'
        """
        local = self.local(at)
        return f"{self._dated(local, '')} {_offset(local)}"

    def bare_minute(self, at: datetime) -> str:
        """
        Return date and time to the minute, where the zone is stated next to it.

        >>> berlin = PersonalFormats(zone="Europe/Berlin")
        >>> berlin.bare_minute(datetime(2026, 11, 29, 14, 5, tzinfo=UTC))
        '2026-11-29 15:05'
        >>> berlin.bare_minute(datetime(2026, 10, 25, 0, 30, tzinfo=UTC))
        '2026-10-25 02:30 UTC+2'
        """
        local = self.local(at)
        text = self._dated(local, "")
        # A local time that occurs once has the same offset in both readings.
        is_twice = local.replace(fold=0).utcoffset() != local.replace(fold=1).utcoffset()
        return f"{text} {_offset(local)}" if is_twice else text

    def second(self, at: datetime) -> str:
        """
        Return date and time to the second, with its offset.

        >>> formats = PersonalFormats(date_order=DateOrder.DAY_FIRST, clock=Clock.HOURS_12)
        >>> formats.second(datetime(2026, 11, 29, 14, 5, 9, tzinfo=UTC))
        '29 Nov 2026, 2:05:09 PM UTC'
        """
        local = self.local(at)
        return f"{self._dated(local, f':{local.second:02}')} {_offset(local)}"

    def microsecond(self, at: datetime) -> str:
        """Return date and time to the microsecond, with its offset."""
        local = self.local(at)
        seconds = f":{local.second:02}.{local.microsecond:06}"
        return f"{self._dated(local, seconds)} {_offset(local)}"

    def count(self, number: int) -> str:
        r"""
        Return a count in groups of thousands.

        >>> [PersonalFormats(grouping=grouping).count(-12345) for grouping in Grouping]
        ['-12\u202f345', '-12,345', '-12.345', '-12345']
        """
        return f"{number:,}".replace(",", self.separator)

    def _date(self, local: datetime) -> str:
        if self.date_order is DateOrder.ISO:
            return f"{local.year:04}-{local.month:02}-{local.day:02}"
        between = ", " if self.date_order is DateOrder.MONTH_FIRST else " "
        return f"{self._short_date(local)}{between}{local.year:04}"

    def _short_date(self, local: datetime) -> str:
        month = _MONTHS[local.month - 1]
        if self.date_order is DateOrder.MONTH_FIRST:
            return f"{month} {local.day}"
        return f"{local.day} {month}"

    def _dated(self, local: datetime, seconds: str) -> str:
        between = " " if self.date_order is DateOrder.ISO else ", "
        return f"{self._date(local)}{between}{self._time(local, seconds)}"

    def _time(self, local: datetime, seconds: str) -> str:
        if self.clock is Clock.HOURS_24:
            return f"{local.hour:02}:{local.minute:02}{seconds}"
        half = "PM" if local.hour >= 12 else "AM"
        return f"{local.hour % 12 or 12}:{local.minute:02}{seconds} {half}"


DEFAULT: Final = PersonalFormats()

_active: ContextVar[PersonalFormats] = ContextVar("personal_formats", default=DEFAULT)


def active_formats() -> PersonalFormats:
    """Return the formats of the reader of the page; the defaults outside of pages."""
    return _active.get()


@contextmanager
def using(formats: PersonalFormats) -> Iterator[None]:
    """Make *formats* the active ones of this thread until the end of the block."""
    token = _active.set(formats)
    try:
        yield
    finally:
        _active.reset(token)


@lru_cache(maxsize=1024)
def _formats_of(time_zone: str, date_order: str, clock: str, grouping: str) -> PersonalFormats:
    found = PersonalFormats(
        zone=find_zone(time_zone) or DEFAULT_ZONE,
        date_order=DateOrder(date_order) if date_order in DateOrder else DateOrder.ISO,
        clock=Clock(clock) if clock in Clock else Clock.HOURS_24,
        grouping=Grouping(grouping) if grouping in Grouping else Grouping.THIN,
    )
    return DEFAULT if found == DEFAULT else found


def _offset(local: datetime) -> str:
    minutes = (local.utcoffset() or timedelta()) // _MINUTE
    if not minutes:
        return "UTC"
    hours, rest = divmod(abs(minutes), 60)
    return f"UTC{'-' if minutes < 0 else '+'}{hours}" + (f":{rest:02}" if rest else "")


# The cache of the library is small, and every time on a page needs its zone.
@lru_cache(maxsize=1024)
def _zone(name: str) -> tzinfo:
    # Works on machines without a database of time zones, too.
    return UTC if name == DEFAULT_ZONE else ZoneInfo(name)
