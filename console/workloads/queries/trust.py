"""Freshness of the numbers of an organization on pages."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from console.orgs.models import Organization
from console.workloads.queries.freshness import behind_since


@dataclass(frozen=True, slots=True, kw_only=True)
class Freshness:
    """How current the displayed numbers are."""

    #: Time up to which the numbers are complete; None if they are current.
    as_of: datetime | None = None
    #: Whether there are no numbers yet, because no batch was decided.
    is_unknown: bool = False


CURRENT = Freshness()


def freshness_of(org: Organization) -> Freshness:
    """Return the freshness of the numbers of *org*, in one short query."""
    since = behind_since(org)
    if since is None:
        return CURRENT
    return Freshness(as_of=since, is_unknown=org.engine.settled_at is None)
