"""Reads the parameters of an address and collects everything that is wrong with them."""

from __future__ import annotations

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


class QueryReader:
    """Reads values one by one and collects what is wrong with them."""

    def __init__(self, query: QueryDict) -> None:
        self._query = query
        self._errors: list[FieldError] = []

    def text(self, name: str) -> str | None:
        """Return a text; a parameter without a value counts as absent."""
        texts = self._texts(name, self._query.getlist(name)[-1:])
        return texts[0] if texts else None

    def texts(self, name: str) -> tuple[str, ...]:
        """Return all values of a parameter that may come several times."""
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
        """Return some of *choices*, of a parameter that may come several times."""
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
        """Return a whole number that a key may be."""
        return self._converted(
            name, _key, "invalid_number", f"{name} has to be a whole number such as 43."
        )

    def time(self, name: str) -> datetime | None:
        """Return a moment; one without a zone is taken as UTC."""
        return self._converted(
            name,
            _moment,
            "invalid_time",
            f"{name} has to be a time such as 2026-01-31T12:00:00Z.",
        )

    def end(self, name: str) -> datetime | None:
        """Return the moment up to which; a day without a time counts whole."""
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
        """Raise BadRequest when anything was wrong."""
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
    # As many digits as a parameter may have, which are few.
    number = int(text)
    if number > LARGEST_INTEGER:
        raise ValueError(text)
    return number


def _moment(text: str) -> datetime:
    # A plus sign that was not quoted arrives as a space.
    moment = parse_datetime(text.replace(" ", "+") if text.count(":") > 2 else text)
    if moment is None or not 1970 <= moment.year <= 9000:
        raise ValueError(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
