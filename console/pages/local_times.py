"""
Times typed in forms: in the time zone of the reader, which the form sends along.

A form has the zone in a hidden field, as it was when the form was shown, unless the zone is UTC. So
an address with typed times means the same for every reader, and `absolute_times` turns its times
into times in UTC.

When clocks go back, an hour of local times occurs twice: the first occurrence is meant. Local times
that clocks skip when they go forward are refused.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

from django.http import QueryDict

from console.errors import BadRequest, FieldError
from console.orgs.time_zones import DEFAULT_ZONE, find_zone
from console.pages.personal_formats import PersonalFormats

#: The field of a form, or parameter of an address, that has the zone of its times.
ZONE: Final = "zone"

_DAY: Final = len("2026-01-31")


def read_local(form: QueryDict, field: str) -> datetime | None:
    """
    Return the time in the datetime-local input *field* of *form*, in UTC; None if it is empty.

    Raises BadRequest at *field* if it is not a time, or not one of the zone of the form.
    """
    typed = form.get(field, "").strip()
    if not typed:
        return None
    found = _parsed(typed)
    if found is None:
        message = "Enter a date and a time, such as 2026-01-31T18:00."
        raise BadRequest([FieldError(field, "invalid_time", message)])
    return found if found.tzinfo else _moment_of(found, _zone_of(form), field)


def absolute_times(query: QueryDict, names: Iterable[str] = ("since", "until")) -> QueryDict:
    """
    Return *query* without its zone, and with the times *names* in UTC.

    A date as ``until`` includes its day. Texts that are not times are left for the reader of the
    parameter to report. Raises BadRequest for an unknown zone, and for a time that the zone skips.
    """
    if ZONE not in query:
        return query
    zone, found = _zone_of(query), query.copy()
    del found[ZONE]
    for name in names:
        typed = query.get(name, "").strip()
        at = _parsed(typed)
        if at is None or at.tzinfo is not None:
            continue
        if len(typed) <= _DAY:
            # Clocks of some zones skip midnight; then the day begins later.
            moment = zone.first_moment(at + timedelta(days=name == "until"))
        else:
            moment = _moment_of(at, zone, name)
        found[name] = moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return found


def _parsed(typed: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(typed)
    except ValueError:
        return None
    return found if 1970 <= found.year <= 9000 else None


def _zone_of(form: QueryDict) -> PersonalFormats:
    name = form.get(ZONE, DEFAULT_ZONE)
    zone = find_zone(name)
    if zone is None:
        message = f"{name[:64]!r} is not a time zone; use a name such as Europe/Berlin."
        raise BadRequest([FieldError(ZONE, "invalid_choice", message)])
    return PersonalFormats(zone=zone)


def _moment_of(wall: datetime, zone: PersonalFormats, field: str) -> datetime:
    moment = zone.first_moment(wall)
    shown = zone.local(moment).replace(tzinfo=None)
    if shown != wall:
        message = (
            f"The clocks of {zone.zone} skip {wall:%Y-%m-%d %H:%M} when they go forward. "
            f"Enter another time, such as {shown:%Y-%m-%d %H:%M}."
        )
        raise BadRequest([FieldError(field, "invalid_time", message)])
    return moment
