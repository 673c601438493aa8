"""A reader of query parameters, which collects all errors."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from django.http import QueryDict
from django.utils.dateparse import parse_datetime

from console.errors import BadRequest, FieldError
from console.reading.fields import LARGEST_INTEGER

T = TypeVar("T")

_LABEL = "label."
_LONGEST = 500

_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
#: Four digits are enough, and their number of weeks is a valid span.
_SPAN = re.compile(r"([0-9]{1,4})([mhdw])")
#: Sixteen digits would be more than the largest priority.
_BOUNDS = re.compile(r"([<>]=?)?(-?[0-9]{1,15})(?:\.\.(-?[0-9]{1,15}))?")


class QueryReader:
    """Reads query parameters one by one and collects their errors."""

    def __init__(self, query: QueryDict) -> None:
        self._query = query
        self._errors: list[FieldError] = []

    def text(self, name: str) -> str | None:
        """Return a text; a parameter without a value counts as absent."""
        texts = self._texts(name, self._query.getlist(name)[-1:])
        return texts[0] if texts else None

    def texts(self, name: str) -> tuple[str, ...]:
        """Return all values of a parameter that may be repeated."""
        return self._texts(name, self._query.getlist(name))

    def choice(self, name: str, choices: list[str] | tuple[str, ...]) -> str | None:
        """Return one of *choices*."""
        return self._converted(
            name,
            lambda text: choices[choices.index(text)],
            "invalid_choice",
            f"{name} has to be one of: {', '.join(choices)}.",
        )

    def choices(self, name: str, choices: list[str] | tuple[str, ...]) -> tuple[str, ...]:
        """Return some of *choices*, from a parameter that may be repeated."""
        texts = self.texts(name)
        if not set(texts) <= set(choices):
            self._refuse(name, "invalid_choice", f"{name} has to be some of: {', '.join(choices)}.")
        return texts

    def flag(self, name: str, *, default: bool) -> bool:
        """Return ``true`` or ``false``, in any case."""
        found = self._converted(
            name,
            lambda text: {"true": True, "false": False}[text.lower()],
            "invalid_choice",
            f"{name} has to be true or false.",
        )
        return default if found is None else found

    def number(self, name: str) -> int | None:
        """Return a whole number that is valid as a primary key."""
        return self._converted(
            name, _key, "invalid_number", f"{name} has to be a whole number such as 43."
        )

    def time(self, name: str) -> datetime | None:
        """Return a time; one without a zone is read as UTC."""
        return self._converted(
            name,
            parse_moment,
            "invalid_time",
            f"{name} has to be a time such as 2026-01-31T12:00:00Z.",
        )

    def span(self, name: str) -> timedelta | None:
        """Return a span of time such as ``90m``, ``2h`` or ``7d``."""
        return self._converted(
            name, _span, "invalid_span", f"{name} has to be a span of time such as 30m, 2h or 7d."
        )

    def bounds(self, name: str) -> tuple[int | None, int | None] | None:
        """Return the ends of a range such as ``5``, ``>5``, ``<=9`` or ``1..9``; None: open."""
        return self._converted(
            name,
            _bounds,
            "invalid_range",
            f"{name} has to be a whole number or a range such as >5, <=9 or 1..9.",
        )

    def end(self, name: str) -> datetime | None:
        """Return the end of a range; a date without a time includes the whole day."""
        found = self.time(name)
        is_day = len(self.text(name) or "") <= len("2026-01-31")
        return found + timedelta(days=1) if found is not None and is_day else found

    def labels(self) -> dict[str, str]:
        """Return the ``label.KEY=VALUE`` parameters."""
        found = {}
        for name in self._query:
            if not name.startswith(_LABEL):
                continue
            key = name.removeprefix(_LABEL)
            value = self.text(name)
            if not key or len(key) > _LONGEST or any(c in key for c in '"\\\0'):
                self._refuse(
                    name,
                    "invalid_label",
                    "A label to search for needs a key without quotes and backslashes.",
                )
            elif value is not None:
                found[key] = value
        return found

    def finish(self) -> None:
        """Raise BadRequest if there are errors."""
        if self._errors:
            raise BadRequest(self._errors)

    def _texts(self, name: str, values: Iterable[str]) -> tuple[str, ...]:
        texts = tuple(filter(None, values))
        if any("\0" in text or len(text) > _LONGEST for text in texts):
            self._refuse(
                name, "invalid_text", f"{name} has to be at most {_LONGEST} characters without NUL."
            )
            return ()
        return texts

    def _converted(
        self, name: str, convert: Callable[[str], T], code: str, message: str
    ) -> T | None:
        text = self.text(name)
        if text is None:
            return None
        try:
            return convert(text)
        except (ValueError, KeyError):
            self._refuse(name, code, message)
            return None

    def _refuse(self, name: str, code: str, message: str) -> None:
        self._errors.append(FieldError(name, code, message))


def _key(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise ValueError(text)
    # Safe, because the length of a parameter limits the number of digits.
    number = int(text)
    if number > LARGEST_INTEGER:
        raise ValueError(text)
    return number


def _span(text: str) -> timedelta:
    found = _SPAN.fullmatch(text)
    if found is None:
        raise ValueError(text)
    return timedelta(**{_UNITS[found[2]]: int(found[1])})


def _bounds(text: str) -> tuple[int | None, int | None]:
    found = _BOUNDS.fullmatch(text.replace(" ", ""))
    if found is None:
        raise ValueError(text)
    sign, least, most = found.groups()
    number = int(least)
    if most is not None:
        if sign:
            raise ValueError(text)
        return number, int(most)
    ends = {">": (number + 1, None), ">=": (number, None), "<": (None, number - 1)}
    return ends.get(sign, (None, number) if sign == "<=" else (number, number))


def parse_moment(text: str) -> datetime:
    """Return a time, which is in UTC if it has no zone; raise ValueError for any other text."""
    # An unquoted plus sign arrives as a space.
    moment = parse_datetime(text.replace(" ", "+") if text.count(":") > 2 else text)
    if moment is None or not 1970 <= moment.year <= 9000:
        raise ValueError(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
