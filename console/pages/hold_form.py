"""The hold form of a queue: a reason and an end, given as a duration, a time or neither."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.http import QueryDict

from console.pages.local_times import absolute_times
from console.reading import QueryReader

#: Durations to choose from: form value -> (label, duration).
SPANS: Final = {
    "15m": ("15 minutes", timedelta(minutes=15)),
    "1h": ("1 hour", timedelta(hours=1)),
    "4h": ("4 hours", timedelta(hours=4)),
    "1d": ("1 day", timedelta(days=1)),
    "7d": ("7 days", timedelta(days=7)),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldInput:
    """The input of the form: reason and end; without an end, the hold lasts until a resume."""

    reason: str
    until: datetime | None


def read_hold(form: QueryDict, now: datetime) -> HoldInput:
    """
    Return the input of *form*; a time takes precedence over a duration from *now*.

    Raises BadRequest if one of the two is invalid.
    """
    reader = QueryReader(absolute_times(form, ("until",)))
    until, span = reader.time("until"), reader.choice("for", tuple(SPANS))
    reader.finish()
    if until is None and span is not None:
        until = now + SPANS[span][1]
    return HoldInput(reason=form.get("reason", "").strip(), until=until)
