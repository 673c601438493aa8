"""Renames of queues and cohorts: the current name, and the error for a former name."""

from __future__ import annotations

from console.dialects.objects import objects_of
from console.errors import NotFound, Renamed
from console.orgs.models import Organization
from console.policies.models import VersionChange
from console.policies.queries import active_policy

#: Maximum number of renames of one object that are followed.
MOST_NAMES = 20


def new_name_of(org: Organization, name: str, noun: str = "queue") -> tuple[str, int] | None:
    """
    Return the current name after all renames of *name*, and the version of the last rename.

    None if no version renamed it.
    """
    found, version = name, 0
    renames = VersionChange.objects.filter(org=org, kind="renamed", noun=noun)
    for _ in range(MOST_NAMES):
        # Each rename has to be later than the previous one, so that a reused name ends the search.
        later = renames.filter(old_name=found, version__gt=version).order_by("-version")
        last = later.values_list("name", "version").first()
        if last is None:
            break
        found, version = last
    return (found, version) if version else None


def absent(org: Organization, name: str, noun: str = "queue") -> NotFound:
    """Return the error for a name that the active version of *org* does not contain."""
    policy = active_policy(org)
    renamed = new_name_of(org, name, noun)
    if renamed and renamed[0] in objects_of(policy).of(noun):
        return Renamed(noun, name, *renamed)
    return NotFound(f"There is no {noun} {name!r} in the active config of {org.slug}.")
