"""The names of time zones that members can choose, from the database of the machine."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from difflib import get_close_matches
from functools import lru_cache
from typing import Final
from zoneinfo import available_timezones

#: The zone of members who have not chosen one; it exists even without a database of time zones.
DEFAULT_ZONE: Final = "UTC"

#: Names without an own place: outdated ones, and fixed offsets with the opposite sign.
_UNUSUAL: Final = ("Etc/", "SystemV/", "US/", "Canada/", "Brazil/", "Mexico/", "Chile/")

#: Most names that are suggested for an unknown one, and the least length of a part to look for.
_MOST_SIMILAR: Final = 3
_SHORTEST_PART: Final = 3
#: The least similarity of a suggestion, from 0 to 1.
_SIMILARITY: Final = 0.75


def find_zone(name: str) -> str | None:
    """
    Return the name of the time zone *name*, ignoring case, with spaces as underscores; or None.

    >>> find_zone(" europe/berlin"), find_zone("America/New York"), find_zone("Mars/Olympus")
    ('Europe/Berlin', 'America/New_York', None)
    """
    return _names().get(_folded(name))


def zones_meant(typed: str) -> tuple[str, ...]:
    """
    Return the time zones that *typed* stands for: a full name, or the last part of names.

    >>> zones_meant("europe/berlin"), zones_meant("berlin"), zones_meant("new york")
    (('Europe/Berlin',), ('Europe/Berlin',), ('America/New_York',))
    """
    whole = find_zone(typed)
    return (whole,) if whole is not None else _by_last_part().get(_folded(typed), ())


def similar_zones(typed: str) -> tuple[str, ...]:
    """
    Return the names that contain *typed*, or else those with the most similar last part.

    >>> similar_zones("Berln"), similar_zones("Mars/Olympus")
    (('Europe/Berlin',), ())
    """
    part = _folded(typed)
    if len(part) < _SHORTEST_PART:
        return ()
    found = [zone for zone in suggested_zones() if part in zone.lower()]
    if not found:
        known = _by_last_part()
        last = part.rpartition("/")[2]
        for near in get_close_matches(last, known, _MOST_SIMILAR, _SIMILARITY):
            found.extend(known[near])
    return tuple(found[:_MOST_SIMILAR])


@lru_cache(maxsize=1)
def suggested_zones() -> tuple[str, ...]:
    """Return the names to suggest, in order: UTC, and those of regions and cities."""
    found = (name for name in _names().values() if "/" in name and not name.startswith(_UNUSUAL))
    return (DEFAULT_ZONE, *sorted(found))


def _folded(name: str) -> str:
    return "_".join(name.split()).lower()


@lru_cache(maxsize=1)
def _by_last_part() -> Mapping[str, tuple[str, ...]]:
    """Return the suggested names by their last part in lower case."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for name in suggested_zones():
        found[name.rpartition("/")[2].lower()].append(name)
    return {part: tuple(names) for part, names in found.items()}


@lru_cache(maxsize=1)
def _names() -> dict[str, str]:
    """Return all names by their form in lower case; cached because this reads many files."""
    return {name.lower(): name for name in (*available_timezones(), DEFAULT_ZONE)}
