"""Appearance: what a reader chose for their browser, kept in cookies so that pages come in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse

YEAR: Final = 365 * 24 * 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Something to choose, with its values in order, the usual one first."""

    name: str
    title: str
    #: Value -> (what it is called, what it means).
    values: Mapping[str, tuple[str, str]]
    #: Whether scripts of ours change it, too.
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


def chosen(request: HttpRequest | None, choice: Choice) -> str:
    """Return what the reader chose; the usual value when nothing, or nothing that there is."""
    value = request.COOKIES.get(choice.name, "") if request else ""
    return value if value in choice.values else next(iter(choice.values))


def keep(response: HttpResponse, choice: Choice, value: str) -> None:
    """Keep *value* in the browser for a year, if it can be chosen."""
    if value in choice.values:
        response.set_cookie(
            choice.name,
            value,
            max_age=YEAR,
            secure=settings.HTTPS_ONLY,
            samesite="Lax",
            httponly=not choice.is_for_scripts,
        )
