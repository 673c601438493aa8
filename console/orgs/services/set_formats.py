"""Set the formats of times and counts on the pages of a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from console.errors import BadRequest, FieldError
from console.orgs.models import Clock, DateOrder, Grouping, User
from console.orgs.time_zones import similar_zones, zones_meant

_CHOICES: Final = {"date_order": DateOrder, "clock": Clock, "grouping": Grouping}

#: The fields of an account that have formats.
FIELDS: Final = ("time_zone", *_CHOICES)


def checked_formats(given: Mapping[str, str]) -> dict[str, str]:
    """
    Return the values of `FIELDS` in *given*, with the time zone as its database writes it.

    The last part of a time zone is enough, such as berlin, if no other zone has the same one.
    Raises BadRequest with every missing or invalid field.
    """
    errors = []
    typed = given.get("time_zone", "")
    zones = zones_meant(typed)
    if not typed.strip():
        message = "Enter a time zone, such as Europe/Berlin, or UTC."
        errors.append(FieldError("time_zone", "required", message))
    elif len(zones) != 1:
        errors.append(FieldError("time_zone", "invalid_choice", _zone_problem(typed[:64], zones)))
    found = {"time_zone": zones[0] if zones else ""}
    for name, choices in _CHOICES.items():
        found[name] = given.get(name, "")
        if found[name] not in choices.values:
            message = f"{name} has to be one of: {', '.join(choices.values)}."
            errors.append(FieldError(name, "invalid_choice", message))
    if errors:
        raise BadRequest(errors)
    return found


def _zone_problem(typed: str, zones: Sequence[str]) -> str:
    """Return why *typed* is no time zone, of which it may mean several, and what to enter."""
    if zones:
        return f"Several time zones end with {typed!r}. Enter {' or '.join(zones)}."
    similar = similar_zones(typed)
    if similar:
        return f"There is no time zone {typed!r}. Did you mean {' or '.join(similar)}?"
    return f"There is no time zone {typed!r}. Enter one of the list, or UTC."


def set_formats(user: User, given: Mapping[str, str]) -> None:
    """
    Store the formats *given* with the account of *user*, for the pages of all its organizations.

    Raises BadRequest as `checked_formats`.
    """
    found = checked_formats(given)
    for name, value in found.items():
        setattr(user, name, value)
    user.save(update_fields=list(found))
