"""
A reader of fields of JSON requests and forms, which collects all errors.

Each method takes a value and its path, such as ``workloads[3].requests.gpu``, and returns the
typed value, or a placeholder after it recorded a `FieldError`. Values must not be used before
`finish` has returned.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from difflib import get_close_matches
from typing import Any

from django.utils.dateparse import parse_datetime

from console.dialects.quantity import amount_of, suggest_quantities
from console.engine.model.amounts import SCALE, Amount, Unlimited, format_amount, parse_amount
from console.errors import BadRequest, FieldError

#: The largest integer that every JSON parser represents exactly.
LARGEST_INTEGER = 2**53 - 1

#: The largest amount of one request, in thousandths: enough for petabytes counted in bytes.
LARGEST_AMOUNT = LARGEST_INTEGER * SCALE

#: The most characters of a number.
_LONGEST_NUMBER = 100

#: The most errors that one response lists.
_LISTED = 100


class Reader:
    """Reads the fields of one request."""

    def __init__(self) -> None:
        self.errors: list[FieldError] = []

    def finish(self) -> None:
        """Raise BadRequest with the first hundred errors if there are any."""
        if len(self.errors) > _LISTED:
            message = f"{len(self.errors)} fields are wrong; these are the first {_LISTED}."
            raise BadRequest(self.errors[:_LISTED], message)
        if self.errors:
            raise BadRequest(self.errors)

    def refuse(self, path: str, code: str, message: str) -> None:
        """Record an error of the value at *path*."""
        self.errors.append(FieldError(path, code, message))

    def mapping(
        self,
        value: Any,
        path: str,
        known: Collection[str],
        required: Collection[str] = (),
    ) -> Mapping[str, Any]:
        """Return an object whose keys are all *known* and include those *required*."""
        if not isinstance(value, dict):
            self._wrong_type(path, "an object", value)
            return {}
        if not value.keys() <= set(known):
            for key in value:
                if key not in known:
                    self._unknown(key, path, known)
        for key in required:
            if key not in value:
                self.refuse(join(path, key), "required", f"{key} is required.")
        return value

    def entries(
        self, value: Any, path: str, most: int, longest: int = 100
    ) -> list[tuple[str, Any]]:
        """
        Return the entries of an object with free keys of at most *longest* characters.

        Null reads as empty.
        """
        if value is None:
            return []
        fields = self.mapping(value, path, value if isinstance(value, dict) else ())
        if len(fields) > most:
            self.refuse(path, "wrong_length", f"At most {most} entries; this has {len(fields)}.")
            return []
        return [
            (key, item)
            for key, item in fields.items()
            if self.text(key, join(path, printable(key)), longest, blank=False)
        ]

    def items(self, value: Any, path: str, least: int, most: int) -> Sequence[Any]:
        """Return a list of *least* to *most* items."""
        if not isinstance(value, list):
            self._wrong_type(path, "a list", value)
            return ()
        if not least <= len(value) <= most:
            self.refuse(
                path,
                "wrong_length",
                f"This takes {least} to {most:,} items; there are {len(value):,}.",
            )
            return ()
        return value

    def text(self, value: Any, path: str, longest: int, *, blank: bool = True) -> str:
        """Return a text of at most *longest* characters; null reads as empty."""
        if value is None and blank:
            return ""
        if not isinstance(value, str):
            self._wrong_type(path, "a string", value)
        elif len(value) > longest:
            self.refuse(
                path, "too_long", f"At most {longest:,} characters; this one has {len(value):,}."
            )
        elif not blank and not value.strip():
            self.refuse(path, "blank", "This may not be blank.")
        elif not is_storable(value):
            self.refuse(
                path,
                "invalid_characters",
                "NUL and single surrogates cannot be stored; remove them.",
            )
        else:
            return value
        return ""

    def source(self, value: Any, path: str, longest: int) -> str:
        """Return a config text of at most *longest* characters; a config parser checks the rest."""
        if isinstance(value, str) and len(value) <= longest:
            return value
        return self.text(value, path, longest, blank=False)

    def optional_text(self, value: Any, path: str, longest: int) -> str | None:
        """Return a text that is not blank, or None when it is absent or null."""
        return None if value is None else self.text(value, path, longest, blank=False)

    def choice(self, value: Any, path: str, choices: Collection[str]) -> str:
        """Return one of *choices*."""
        if isinstance(value, str) and value in choices:
            return value
        if not isinstance(value, str):
            self._wrong_type(path, "a string", value)
        else:
            self.refuse(path, "invalid_choice", f"This has to be one of: {', '.join(choices)}.")
        return next(iter(choices))

    def integer(self, value: Any, path: str, least: int = 0, most: int = LARGEST_INTEGER) -> int:
        """Return an integer from *least* to *most*."""
        if isinstance(value, bool) or not isinstance(value, int):
            self._wrong_type(path, "an integer", value)
        elif not least <= value <= most:
            self.refuse(
                path,
                "out_of_range",
                f"This has to be from {least:,} to {most:,}.",
            )
        else:
            return value
        return least

    def priority(self, value: Any, path: str, least: Callable[[], int]) -> int | None:
        """
        Return a requested priority; null reads as None.

        *least* returns the lowest priority that the config allows. It is called only for
        negative numbers, because it may take a database query.
        """
        if value is None:
            return None
        is_negative = isinstance(value, int) and value < 0
        return self.integer(value, path, least() if is_negative else 0)

    def moment(self, value: Any, path: str) -> datetime | None:
        """Return a time, which is read as UTC if it has no zone; null reads as None."""
        if value is None:
            return None
        try:
            found = parse_datetime(value) if isinstance(value, str) else None
        except ValueError:
            found = None
        if found is None or not 1970 <= found.year <= 9000:
            self.refuse(
                path, "invalid_time", f"{path} has to be a time such as 2026-01-31T12:00:00Z."
            )
            return None
        return found if found.tzinfo else found.replace(tzinfo=UTC)

    def flag(self, value: Any, path: str) -> bool:
        """Return a boolean; null reads as false."""
        if value is not None and not isinstance(value, bool):
            self._wrong_type(path, "a boolean", value)
        return value is True

    def amount(self, value: Any, path: str) -> int:
        """Return a number from 0 to `LARGEST_AMOUNT` with at most three decimals as thousandths."""
        if isinstance(value, bool) or not isinstance(value, int | Decimal):
            self._wrong_type(path, "a number", value)
            return 0
        text = str(value)
        if len(text) > _LONGEST_NUMBER:
            message = f"A number has at most {_LONGEST_NUMBER} characters; this has {len(text):,}."
            self.refuse(path, "invalid_amount", message)
            return 0
        try:
            amount = parse_amount(text)
        except ValueError as error:
            self.refuse(path, "invalid_amount", f"{error}.")
            return 0
        return self._bounded(amount, path)

    def quantity(self, value: Any, path: str, resource: str) -> int:
        """Return a number as `amount` does, or a Kubernetes quantity such as ``64Gi``."""
        if not isinstance(value, str):
            return self.amount(value, path)
        text = self.text(value, path, 100, blank=False)
        if not text:
            return 0
        try:
            amount = amount_of(text, resource)
        except ValueError as error:
            meant = " or ".join(suggest_quantities(text))
            hint = f"; did you mean {meant}?" if meant else ", such as 0.5, 500m or 64Gi."
            self.refuse(path, "invalid_amount", f"{error}{hint}")
            return 0
        return self._bounded(amount, path)

    def _bounded(self, amount: Amount, path: str) -> int:
        if isinstance(amount, Unlimited) or not 0 <= amount <= LARGEST_AMOUNT:
            self.refuse(
                path,
                "out_of_range",
                f"An amount has to be from 0 to {format_amount(LARGEST_AMOUNT)}.",
            )
            return 0
        return amount

    def _unknown(self, key: str, path: str, known: Collection[str]) -> None:
        if len(self.errors) >= _LISTED:
            # Only counted: to search the intended names of a million keys would take minutes.
            self.refuse(path, "unknown_field", "There are more unknown fields.")
            return
        shown = printable(key)
        near = get_close_matches(shown, known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"known are: {', '.join(sorted(known))}."
        self.refuse(join(path, shown), "unknown_field", f"{shown} is not known here; {hint}")

    def _wrong_type(self, path: str, wanted: str, value: Any) -> None:
        self.refuse(path, "wrong_type", f"This has to be {wanted}, not {_kind(value)}.")


def join(path: str, key: str) -> str:
    """Return the path of *key* inside the object at *path*."""
    return f"{path}.{key}" if path else key


def is_storable(text: str) -> bool:
    """Return whether every database can store *text*: it has no NUL and no single surrogate."""
    if text.isascii():
        return "\0" not in text
    return not any(char == "\0" or "\ud800" <= char <= "\udfff" for char in text)


def printable(text: str) -> str:
    """Return *text* shortened and encodable, for use in a message."""
    short = text if len(text) <= 80 else f"{text[:79]}…"
    return short.encode("utf-8", "backslashreplace").decode()


def _kind(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case str():
            return "a string"
        case int() | Decimal():
            return "a number"
        case list():
            return "a list"
        case _:
            return "an object"
