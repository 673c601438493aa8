"""How long a queue is held, as a form says it: for a span of time, until a moment, or openly."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.http import QueryDict

from console.reading import QueryReader

#: Spans to choose from, by what the form sends.
SPANS: Final = {
    "15m": ("15 minutes", timedelta(minutes=15)),
    "1h": ("1 hour", timedelta(hours=1)),
    "4h": ("4 hours", timedelta(hours=4)),
    "1d": ("1 day", timedelta(days=1)),
    "7d": ("7 days", timedelta(days=7)),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedHold:
    """The input of the form: reason and end; None means until the queue is resumed."""

    reason: str
    until: datetime | None


def read_hold(form: QueryDict, now: datetime) -> AskedHold:
    """
    Read a form; a moment counts more than a span from *now*.

    Raises BadRequest when one of them cannot be read.
    """
    reader = QueryReader(form)
    until, span = reader.time("until"), reader.choice("for", tuple(SPANS))
    reader.finish()
    if until is None and span is not None:
        until = now + SPANS[span][1]
    return AskedHold(reason=form.get("reason", "").strip(), until=until)
