"""Time ranges of accounts, aligned to hours, days or weeks in UTC."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db import models

from console.accounting.amounts import DAY, MONDAY, WEEK, hour_of, time_of_hour
from console.errors import BadRequest, FieldError
from console.series.models import Step as SeriesStep
from console.series.retention import RetentionPeriods


class Step(models.TextChoices):
    """Length of one bar; a week begins on Monday."""

    HOUR = "hour"
    DAY = "day"
    WEEK = "week"


#: Hours of a step, and the first hour that begins one.
_LENGTH: Final = {Step.HOUR: 1, Step.DAY: DAY, Step.WEEK: WEEK}
_FIRST: Final = {Step.HOUR: 0, Step.DAY: 0, Step.WEEK: MONDAY}

#: The default length of a time range.
USUAL: Final = timedelta(days=7)

#: The longest time range by hour and by day, in hours, if no step is given.
_BY_HOUR: Final = 2 * DAY
_BY_DAY: Final = 92 * DAY


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountWindow:
    """
    Start and end of a time range in hours since 1970, aligned to *step*.

    It is empty if nothing is kept of it.
    """

    since: int
    until: int
    step: Step
    #: The first hour of the retention period of days.
    kept_since: int
    #: The steps that suit the time range: none is longer, and of an hour only if hours are kept.
    suitable: tuple[Step, ...]

    @property
    def length(self) -> int:
        """The hours of one step."""
        return _LENGTH[self.step]

    @property
    def starts(self) -> range:
        """The first hours of all steps."""
        return range(self.since, self.until, self.length)


def begin_of(length: timedelta, now: datetime) -> datetime:
    """Return when the whole hours of *length* begin of which the last one contains *now*."""
    return time_of_hour(hour_of(now) + 1) - length


def account_window(
    since: datetime | None,
    until: datetime | None,
    step: Step | None,
    now: datetime,
    *,
    only_whole_days: bool = False,
) -> AccountWindow:
    """
    Return the time range from *since* to *until*, in *step* or a suitable one.

    The default is the last seven days until *now*. Both ends are rounded to whole steps; the range
    is clamped to the next hour and to the retention period. With *only_whole_days*, a day that
    begins before *since* is left out instead, unless the range is shorter than two days: seven days
    until now are today and the six days before. Raises BadRequest if *since* is not
    before *until* and *now*, or if hours are requested that are only kept by day.
    """
    kept = RetentionPeriods.configured()
    last = hour_of(now) + 1
    end = last if until is None else min(last, _ceiling(until))
    begin = hour_of(since) if since else end - int(USUAL.total_seconds()) // 3600
    if begin >= end or (since and until and since >= until):
        message = "since has to be earlier than until and earlier than now."
        raise BadRequest([FieldError("since", "invalid_time", message)])
    kept_since = hour_of(kept.since(SeriesStep.DAY, now))
    is_kept = end > kept_since
    begin = max(begin, kept_since)
    end = max(end, begin + 1)
    kept_by_hour = hour_of(kept.since(SeriesStep.HOUR, now))
    found = step or _step_for(end - begin, by_hour=begin >= kept_by_hour)
    if found is Step.HOUR and begin < kept_by_hour:
        message = f"Hours are kept for {kept.hours} days; use step=day for an earlier since."
        raise BadRequest([FieldError("step", "invalid_choice", message)])
    first, length = _FIRST[found], _LENGTH[found]
    leaves_out = only_whole_days and found is Step.DAY and end - begin >= 2 * DAY
    aligned = (begin - first + (length - 1) * leaves_out) // length * length + first
    return AccountWindow(
        since=aligned,
        until=-(-(end - first) // length) * length + first if is_kept else aligned,
        step=found,
        kept_since=kept_since,
        suitable=tuple(
            each
            for each in Step
            if _LENGTH[each] <= end - begin and (each is not Step.HOUR or begin >= kept_by_hour)
        ),
    )


def _ceiling(moment: datetime) -> int:
    hour = hour_of(moment)
    is_whole = not (moment.minute or moment.second or moment.microsecond)
    return hour if is_whole else hour + 1


def _step_for(hours: int, *, by_hour: bool) -> Step:
    if hours <= _BY_HOUR and by_hour:
        return Step.HOUR
    return Step.DAY if hours <= _BY_DAY else Step.WEEK
