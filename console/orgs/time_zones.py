"""The names of time zones that members can choose, from the database of the machine."""

from __future__ import annotations

from functools import lru_cache
from typing import Final
from zoneinfo import available_timezones

#: The zone of members who have not chosen one; it exists even without a database of time zones.
DEFAULT_ZONE: Final = "UTC"

#: Names without an own place: outdated ones, and fixed offsets with the opposite sign.
_UNUSUAL: Final = ("Etc/", "SystemV/", "US/", "Canada/", "Brazil/", "Mexico/", "Chile/")


def find_zone(name: str) -> str | None:
    """
    Return the name of the time zone *name*, ignoring case, with spaces as underscores; or None.

    >>> find_zone(" europe/berlin"), find_zone("America/New York"), find_zone("Mars/Olympus")
    ('Europe/Berlin', 'America/New_York', None)
    """
    return _names().get("_".join(name.split()).lower())


@lru_cache(maxsize=1)
def suggested_zones() -> tuple[str, ...]:
    """Return the names to suggest, in order: UTC, and those of regions and cities."""
    found = (name for name in _names().values() if "/" in name and not name.startswith(_UNUSUAL))
    return (DEFAULT_ZONE, *sorted(found))


@lru_cache(maxsize=1)
def _names() -> dict[str, str]:
    """Return all names by their form in lower case; cached because this reads many files."""
    return {name.lower(): name for name in (*available_timezones(), DEFAULT_ZONE)}
