"""The form of a person's formats: its choices, each with an example, and the typed values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from django.http import QueryDict

from console.errors import BadRequest
from console.orgs.models import Clock, DateOrder, Grouping, User
from console.orgs.services.set_formats import FIELDS, checked_formats
from console.orgs.time_zones import suggested_zones
from console.pages.personal_formats import PersonalFormats

#: Examples whose parts differ: the day is no month, and the hour is after noon.
_MOMENT: Final = datetime(2026, 11, 29, 14, 5, tzinfo=UTC)
_COUNT: Final = 12_345_678

#: Field -> its title, and value -> (title, example), with the default first.
_CHOICES: Final[Mapping[str, tuple[str, Mapping[str, tuple[str, str]]]]] = {
    "date_order": (
        "Dates",
        {
            order: (title, PersonalFormats(date_order=order).day(_MOMENT))
            for order, title in (
                (DateOrder.ISO, "Year first"),
                (DateOrder.DAY_FIRST, "Day first"),
                (DateOrder.MONTH_FIRST, "Month first"),
            )
        },
    ),
    "clock": (
        "Clock",
        {
            clock: (title, PersonalFormats(clock=clock).time_of_day(_MOMENT))
            for clock, title in ((Clock.HOURS_24, "24 hours"), (Clock.HOURS_12, "12 hours"))
        },
    ),
    "grouping": (
        "Thousands",
        {
            grouping: (title, PersonalFormats(grouping=grouping).count(_COUNT))
            for grouping, title in (
                (Grouping.THIN, "Thin space"),
                (Grouping.COMMA, "Comma"),
                (Grouping.POINT, "Point"),
                (Grouping.NONE, "None"),
            )
        },
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One value of a field, and an example of it."""

    value: str
    title: str
    example: str
    is_chosen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A field with a few values, of which one is chosen."""

    name: str
    title: str
    options: tuple[Option, ...]
    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """What is wrong with a field, and the id of the input to correct."""

    anchor: str
    title: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FormatsForm:
    """The form with the values to show, and the problem of each field that has one."""

    time_zone: str
    zone_error: str
    #: The names of time zones to suggest.
    zones: tuple[str, ...]
    choices: tuple[Choice, ...]
    #: A time and a count in the formats of the form; empty if one of them is invalid.
    example_time: str
    example_count: str

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The problems of all fields, for the head of the page."""
        zone = Problem(anchor="time-zone", title="Time zone", message=self.zone_error)
        others = (
            Problem(
                anchor=f"{each.name}-{each.options[0].value}",
                title=each.title,
                message=each.error,
            )
            for each in self.choices
        )
        return tuple(problem for problem in (zone, *others) if problem.message)


def form_of(user: User, typed: QueryDict, now: datetime) -> FormatsForm:
    """Return the form with the values *typed*, or else those of *user*, and the time *now*."""
    values = {name: typed.get(name, getattr(user, name)) for name in FIELDS}
    errors: dict[str, str] = {}
    formats = None
    try:
        formats = PersonalFormats.from_values(**checked_formats(values))
    except BadRequest as error:
        errors = {each.path: each.message for each in error.errors}
    return FormatsForm(
        time_zone=values["time_zone"],
        zone_error=errors.get("time_zone", ""),
        zones=suggested_zones(),
        choices=tuple(
            Choice(
                name=name,
                title=title,
                options=tuple(
                    Option(
                        value=value, title=words, example=example, is_chosen=value == values[name]
                    )
                    for value, (words, example) in options.items()
                ),
                error=errors.get(name, ""),
            )
            for name, (title, options) in _CHOICES.items()
        ),
        example_time=formats.second(now) if formats else "",
        example_count=formats.count(_COUNT) if formats else "",
    )
