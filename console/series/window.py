"""Time ranges of queries, and their steps."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from console.errors import BadRequest, FieldError
from console.series.coverage import MINUTE, floor_minute
from console.series.models import Step
from console.series.readings import FLOOR, LENGTH
from console.series.retention import RetentionPeriods

#: The longest time range in minutes and in hours.
_BY_MINUTE: Final = timedelta(hours=26)
_BY_HOUR: Final = timedelta(days=45)

#: The default length of the time range.
USUAL: Final = timedelta(hours=24)


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Start and end of a time range, aligned to *step*."""

    since: datetime
    until: datetime
    step: Step
    #: Start of the retention period of this step.
    kept_since: datetime


def window_of(
    since: datetime | None,
    until: datetime | None,
    step: Step | None,
    now: datetime,
    kept: RetentionPeriods,
) -> Window:
    """
    Return the time range from *since* to *until*, in *step* or the shortest suitable one.

    The default is the last day until *now*. The range is clamped to *now* and to the retention
    period *kept*. Raises BadRequest if it is empty.
    """
    last = floor_minute(now) + MINUTE
    end = min(until or last, last)
    begin = since or end - USUAL
    if begin >= end:
        message = "since has to be earlier than until and earlier than now."
        raise BadRequest([FieldError("since", "invalid_time", message)])
    found = step or step_for(begin, end, now, kept)
    kept_since = kept.since(found, now)
    begin = max(begin, min(kept_since, end - LENGTH[found]))
    first = FLOOR[found](begin)
    below = FLOOR[found](end)
    last_edge = below if below == end else below + LENGTH[found]
    return Window(since=first, until=last_edge, step=found, kept_since=kept_since)


def step_for(since: datetime, until: datetime, now: datetime, kept: RetentionPeriods) -> Step:
    """Return the shortest step whose rows of the time range are kept and not too many."""
    length = until - since
    if length <= _BY_MINUTE and since >= kept.since(Step.MINUTE, now):
        return Step.MINUTE
    if length <= _BY_HOUR and since >= kept.since(Step.HOUR, now):
        return Step.HOUR
    return Step.DAY
