"""Appearance settings: theme, row height and shortcuts, stored in cookies of the browser."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse

YEAR: Final = 365 * 24 * 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One appearance setting: the name of its cookie, and its values with the default first."""

    name: str
    title: str
    #: Value -> (label, explanation).
    values: Mapping[str, tuple[str, str]]
    #: Whether the console's scripts read and write the cookie.
    is_for_scripts: bool = False


THEME: Final = Choice(
    name="theme",
    title="Colors",
    values={
        "system": ("System", "Follows the setting of your device."),
        "light": ("Light", "Dark text on a light background."),
        "dark": ("Dark", "Light text on a dark background."),
    },
)
DENSITY: Final = Choice(
    name="density",
    title="Row height",
    values={
        "comfortable": ("Comfortable", "More space around each row."),
        "compact": ("Compact", "More rows on a screen; buttons keep their size."),
    },
)
KEYS: Final = Choice(
    name="keys",
    title="Keyboard shortcuts",
    values={
        "on": ("On", "Single letters, such as j and k for the next and previous row."),
        "off": ("Off", "No single-letter shortcuts, for speech input and assistive technology."),
    },
    is_for_scripts=True,
)
CHOICES: Final = (THEME, DENSITY, KEYS)


def selected_value(request: HttpRequest | None, choice: Choice) -> str:
    """Return the value from the reader's cookie, or the default if it is missing or unknown."""
    value = request.COOKIES.get(choice.name, "") if request else ""
    return value if value in choice.values else next(iter(choice.values))


def store_value(response: HttpResponse, choice: Choice, value: str) -> None:
    """Set the cookie of *choice* to *value* for a year; ignore an unknown value."""
    if value in choice.values:
        response.set_cookie(
            choice.name,
            value,
            max_age=YEAR,
            secure=settings.HTTPS_ONLY,
            samesite="Lax",
            httponly=not choice.is_for_scripts,
        )
