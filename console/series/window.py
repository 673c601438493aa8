"""Windows: which time a reader looks at, and in which steps it is kept and can be read."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from console.errors import BadRequest, FieldError
from console.series.coverage import MINUTE, floor_minute
from console.series.models import Step
from console.series.readings import FLOOR, LENGTH
from console.series.retention import Kept

#: The longest time that is read by the minute and by the hour.
_BY_MINUTE: Final = timedelta(hours=26)
_BY_HOUR: Final = timedelta(days=45)

#: How far back a reader looks who does not say.
USUAL: Final = timedelta(hours=24)


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """From when to when, on edges of *step*."""

    since: datetime
    until: datetime
    step: Step
    #: From when on rows of this step are kept.
    kept_since: datetime


def window_of(
    since: datetime | None,
    until: datetime | None,
    step: Step | None,
    now: datetime,
    kept: Kept,
) -> Window:
    """
    Return the time from *since* to *until*, in *step* or the finest that suits it.

    What is not given is the last day until *now*; nothing is later than that, and
    nothing is earlier than rows are *kept*. Raises BadRequest when nothing is left of it.
    """
    last = floor_minute(now) + MINUTE
    end = min(until or last, last)
    begin = since or end - USUAL
    if begin >= end:
        message = "since has to be earlier than until, and than now."
        raise BadRequest([FieldError("since", "invalid_time", message)])
    found = step or step_for(begin, end, now, kept)
    kept_since = kept.since(found, now)
    begin = max(begin, min(kept_since, end - LENGTH[found]))
    first = FLOOR[found](begin)
    below = FLOOR[found](end)
    last_edge = below if below == end else below + LENGTH[found]
    return Window(since=first, until=last_edge, step=found, kept_since=kept_since)


def step_for(since: datetime, until: datetime, now: datetime, kept: Kept) -> Step:
    """Return the finest step in which that time is kept and is not too much to read."""
    length = until - since
    if length <= _BY_MINUTE and since >= kept.since(Step.MINUTE, now):
        return Step.MINUTE
    if length <= _BY_HOUR and since >= kept.since(Step.HOUR, now):
        return Step.HOUR
    return Step.DAY
