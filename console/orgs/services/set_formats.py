"""Set the formats of times and counts on the pages of a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from console.errors import BadRequest, FieldError
from console.orgs.models import Clock, DateOrder, Grouping, User
from console.orgs.time_zones import find_zone

_CHOICES: Final = {"date_order": DateOrder, "clock": Clock, "grouping": Grouping}

#: The fields of an account that have formats.
FIELDS: Final = ("time_zone", *_CHOICES)


def checked_formats(given: Mapping[str, str]) -> dict[str, str]:
    """
    Return the values of `FIELDS` in *given*, with the time zone as its database writes it.

    Raises BadRequest with every missing or invalid field.
    """
    errors = []
    typed = given.get("time_zone", "")
    zone = find_zone(typed)
    if not typed.strip():
        message = "Enter a time zone, such as Europe/Berlin, or UTC."
        errors.append(FieldError("time_zone", "required", message))
    elif zone is None:
        message = f"There is no time zone {typed[:64]!r}. Enter one of the list, or UTC."
        errors.append(FieldError("time_zone", "invalid_choice", message))
    found = {"time_zone": zone or ""}
    for name, choices in _CHOICES.items():
        found[name] = given.get(name, "")
        if found[name] not in choices.values:
            message = f"{name} has to be one of: {', '.join(choices.values)}."
            errors.append(FieldError(name, "invalid_choice", message))
    if errors:
        raise BadRequest(errors)
    return found


def set_formats(user: User, given: Mapping[str, str]) -> None:
    """
    Store the formats *given* with the account of *user*, for the pages of all its organizations.

    Raises BadRequest as `checked_formats`.
    """
    found = checked_formats(given)
    for name, value in found.items():
        setattr(user, name, value)
    user.save(update_fields=list(found))
