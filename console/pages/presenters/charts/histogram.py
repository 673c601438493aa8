"""Histogram of events over time: stacked columns by event type, linked to the filtered log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.http import QueryDict

from console.engine.wording.words import listed
from console.pages.personal_formats import active_formats
from console.pages.presenters.lists.addresses import with_query
from console.pages.templatetags.ui import count, event_title
from console.series.coverage import DAY
from console.series.event_counts import Part
from console.workloads.models import EventType
from console.workloads.queries.event_search import EventSearch
from console.workloads.transitions import TransitionKind

#: Event types with counts over time, from the bottom of a column to its top.
COUNTED: Final[Mapping[EventType, TransitionKind]] = {
    EventType.REQUEST_SUBMITTED: TransitionKind.SUBMITTED,
    EventType.REQUEST_ADMITTED: TransitionKind.ADMITTED,
    EventType.REQUEST_FULFILLED: TransitionKind.FINISHED,
    EventType.REQUEST_ABORTED: TransitionKind.WITHDRAWN,
    EventType.REQUEST_PREEMPTED: TransitionKind.PREEMPTED,
    EventType.REQUEST_REJECTED: TransitionKind.REJECTED,
}

#: Height of a drawing; width of a column including its gap, and width of the gap.
HEIGHT: Final = 60
_COLUMN, _GAP = 10, 2

#: Minimum height of a block.
_LEAST: Final = 1.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A block of a column, as SVG attributes."""

    what: str
    y: str
    height: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One time span, its counts, and the URL of its events."""

    x: int
    title: str
    blocks: tuple[Block, ...]
    url: str
    span: str
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Histogram:
    """Columns over time; *kinds* are (name, title) of the counted event types."""

    width: int
    columns: tuple[Column, ...]
    kinds: tuple[tuple[str, str], ...]
    sentence: str
    #: URLs of the equally long time ranges before and after; *later_url* is empty at the present.
    earlier_url: str
    later_url: str


def is_counted(search: EventSearch) -> bool:
    """Return whether counts exist for *search*: it filters by type, one queue and time only."""
    others = (
        *(search.levels, search.flavors, search.workloads, len(search.queues) > 1),
        *(search.actor, search.user, search.project, search.config, search.id),
    )
    return not any(others) and (not search.types or bool(_types(search)))


def histogram_of(
    path: str, query: QueryDict, search: EventSearch, parts: Sequence[Part], now: datetime
) -> Histogram | None:
    """Return the histogram of *parts* for the list at *path* with *query*; None without parts."""
    if not parts:
        return None
    types = _types(search) or list(COUNTED)
    most = max(sum(part.counts.get(COUNTED[each], 0) for each in types) for part in parts)
    start, end = parts[0].start, parts[-1].end
    total = sum(part.counts.get(COUNTED[each], 0) for part in parts for each in types)
    return Histogram(
        width=_COLUMN * len(parts),
        columns=tuple(
            _column(place, part, types, most, _within(path, query, part.start, part.end))
            for place, part in enumerate(parts)
        ),
        kinds=tuple((COUNTED[each].value, event_title(each.value)) for each in types),
        sentence=f"All events of {'this type' if len(types) == 1 else 'these types'} are counted: "
        f"{count(total)}, {_span(start, end)}, at most {count(most)} in one column.",
        earlier_url=_within(path, query, start - (end - start), start),
        later_url=_within(path, query, end, end + (end - start)) if end < now else "",
    )


def _types(search: EventSearch) -> list[EventType]:
    return [each for each in COUNTED if each.value in search.types]


def _column(place: int, part: Part, types: Sequence[EventType], most: int, url: str) -> Column:
    span = _span(part.start, part.end)
    numbers = tuple(part.counts.get(COUNTED[each], 0) for each in types)
    counts = [
        f"{count(number)} {COUNTED[each].value}"
        for each, number in zip(types, numbers, strict=True)
        if number
    ]
    blocks, y = [], float(HEIGHT)
    for each, number in zip(types, numbers, strict=True):
        if number:
            # A small count gets the minimum height, as far as the column has space.
            height = min(y, max(_LEAST, (HEIGHT - 2) * number / most))
            y -= height
            blocks.append(Block(what=COUNTED[each].value, y=f"{y:.2f}", height=f"{height:.2f}"))
    return Column(
        x=place * _COLUMN + _GAP // 2,
        title=f"{span}: {listed(counts) or 'no events'}",
        blocks=tuple(blocks),
        url=url,
        span=span,
        numbers=numbers,
    )


def _within(path: str, query: QueryDict, start: datetime, end: datetime) -> str:
    form = "%Y-%m-%dT%H:%M:%SZ"
    return with_query(
        path, query, since=start.strftime(form), until=end.strftime(form), cursor=None
    )


def _span(start: datetime, end: datetime) -> str:
    if end - start >= DAY and not (start.hour or start.minute):
        # Days are counted in UTC.
        day, last = active_formats().in_utc().day, end - DAY
        return f"{day(start)} UTC" if last == start else f"{day(start)} to {day(last)} UTC"
    formats = active_formats()
    if formats.day(start) != formats.day(end):
        return f"{formats.bare_minute(start)} to {formats.minute(end)}"
    return f"{formats.bare_minute(start)} to {formats.time_of_day(end)} {formats.offset(end)}"
