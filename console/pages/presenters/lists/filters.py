"""Filters of lists: canonical query, removable chips and state segments."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from django.http import QueryDict

from console.engine.model.reasons import ReasonClass
from console.engine.wording import reasons
from console.pages.local_times import absolute_times
from console.pages.personal_formats import active_formats
from console.pages.presenters.lists.addresses import with_query
from console.pages.templatetags.ui import REASON_CLASS_TITLES, STATE_TITLES, event_title
from console.reading.query import parse_moment

_LABEL = "label."

#: Parameter -> title on its chip; other parameters are titled by their name.
_NAMES = {
    "q": "name or id",
    "reason_class": "reason class",
    "without": "has no",
    "noun": "changed a",
    "name": "called",
    "older": "older than",
    "newer": "newer than",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Chip:
    """One active filter, and the URL without it."""

    name: str
    value: str
    remove_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """One state in the filter, with its number of workloads."""

    state: str
    title: str
    count: int
    url: str
    current: bool


def canonical_query(query: QueryDict, repeatable: Collection[str] = ()) -> QueryDict:
    """
    Return *query* in canonical form.

    Of a repeated filter, the last value is used, unless the filter is *repeatable*. Empty fields
    are dropped. The form's ``label=team=ml`` becomes ``label.team=ml``, so that several labels
    can be filtered, each with its own parameter. Times typed in the zone of a reader become times
    in UTC; raises BadRequest for those that do not exist.
    """
    found = QueryDict(mutable=True)
    for name, given in absolute_times(query).lists():
        values = [value for each in given if (value := str(each).strip())]
        if not values:
            continue
        if name == "label":
            key, _, wanted = values[-1].partition("=")
            found[f"{_LABEL}{key.strip()}"] = wanted.strip()
        else:
            kept = list(dict.fromkeys(values)) if name in repeatable else values[-1:]
            found.setlist(name, kept)
    return found


def chips_of(path: str, query: QueryDict, names: Iterable[str]) -> tuple[Chip, ...]:
    """Return a chip for each value of the parameters *names* in *query*, and for each label."""
    known = set(names)
    return tuple(
        Chip(
            name=_NAMES.get(name, name.removeprefix(_LABEL)),
            value=_words(name, value),
            remove_url=without(path, query, name, value),
        )
        for name, values in query.lists()
        if name in known or name.startswith(_LABEL)
        for value in map(str, values)
    )


def without(path: str, query: QueryDict, name: str, value: str) -> str:
    """Return the URL of the first page without one *value* of the filter *name*."""
    rest = query.copy()
    rest.setlist(name, [each for each in query.getlist(name) if each != value])
    return with_query(path, rest, cursor=None)


def segments_of(
    path: str, query: QueryDict, counts: Mapping[str, int], chosen: str
) -> tuple[Segment, ...]:
    """Return the segments of the state filter; the first one stands for all states."""
    states = {"": "All"} | STATE_TITLES
    return tuple(
        Segment(
            state=state,
            title=title,
            count=counts.get(state, 0) if state else sum(counts.values()),
            url=with_query(path, query, state=state or None, cursor=None),
            current=state == chosen,
        )
        for state, title in states.items()
    )


def _moment_words(value: str) -> str:
    """
    Return the text of a time in an address, in the formats of the reader; a date is one of UTC.

    >>> _moment_words("2026-01-31T12:00:00.250Z"), _moment_words("2026-01-31T12:00:09")
    ('2026-01-31 12:00 UTC', '2026-01-31 12:00:09 UTC')
    >>> _moment_words("2026-01-31T12:00:00+02:00"), _moment_words("2026-01-31")
    ('2026-01-31 10:00 UTC', '2026-01-31 UTC')
    """
    try:
        at = parse_moment(value)
    except ValueError:
        return value
    formats = active_formats()
    if len(value) <= len("2026-01-31"):
        return f"{formats.in_utc().day(at)} UTC"
    return formats.second(at) if at.second else formats.minute(at)


def _words(name: str, value: str) -> str:
    if name == "state":
        return STATE_TITLES.get(value, value)
    if name in ("since", "until"):
        return _moment_words(value)
    if name == "reason":
        return reasons.reason_title(value)
    if name == "reason_class":
        return REASON_CLASS_TITLES[ReasonClass(value)]
    if name == "type" and value.isupper():
        return event_title(value)
    return value
