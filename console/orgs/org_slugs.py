"""Slugs of organizations: which are reserved, which are free, and one for a name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from django.db.models.functions import Lower
from django.utils.text import slugify

from console.orgs.models import Organization

#: Maximum length of the column `slug`.
LONGEST_SLUG: Final = 50

#: First parts of addresses of the console, and words that appear in them: an address of an
#: organization is not mistaken for another page.
RESERVED_SLUGS: Final = frozenset(
    {"admin", "all", "api", "confirm", "console", "docs", "ext", "healthz", "join", "login"}
    | {"logout", "metrics", "new", "o", "organizations", "orgs", "password", "readyz", "sessions"}
    | {"settings", "sluice", "static", "theme", "tokens", "unsubscribe", "v1", "v2", "ws"}
)

#: Lower case alone, so that no two slugs differ in case only.
_SLUG: Final = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?")

#: Maximum number of numbered slugs that are tried for a name.
_NUMBERED: Final = 20


def is_valid_slug(slug: str) -> bool:
    """Return whether *slug* has the form of a slug that is chosen in the browser."""
    return len(slug) <= LONGEST_SLUG and _SLUG.fullmatch(slug) is not None


def is_free_slug(slug: str) -> bool:
    """Return whether *slug* is not reserved and no organization has it, ignoring case."""
    return slug in _free([slug])


def free_slug_of(name: str) -> str | None:
    """
    Return a free slug for an organization *name*, numbered if necessary; None if there is none.

    None, too, for a name without Latin letters and digits.
    """
    wanted = list(_slugs_of(name))
    free = _free(wanted)
    return next((slug for slug in wanted if slug in free), None)


def _slugs_of(name: str) -> Iterator[str]:
    base = slugify(name).replace("_", "-").strip("-")
    if base:
        yield base[:LONGEST_SLUG].strip("-")
        for number in range(2, _NUMBERED + 1):
            yield f"{base[: LONGEST_SLUG - 3].strip('-')}-{number}"


def _free(slugs: list[str]) -> set[str]:
    folded = Organization.objects.alias(folded=Lower("slug")).filter(folded__in=slugs)
    taken = {slug.lower() for slug in folded.values_list("slug", flat=True)}
    return set(slugs) - taken - RESERVED_SLUGS
