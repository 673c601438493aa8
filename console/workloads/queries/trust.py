"""Trust: how far the numbers of an organization may be believed at this moment."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from console.orgs.models import Organization
from console.workloads.queries.freshness import behind_since


@dataclass(frozen=True, slots=True, kw_only=True)
class Freshness:
    """How far numbers can be trusted."""

    #: The time up to which they are complete; None if that is now.
    as_of: datetime | None = None
    #: Nothing was ever decided, so there are no numbers.
    is_unknown: bool = False


CURRENT = Freshness()


def freshness_of(org: Organization) -> Freshness:
    """Return how far the numbers of *org* can be trusted: one short read."""
    since = behind_since(org)
    if since is None:
        return CURRENT
    return Freshness(as_of=since, is_unknown=org.engine.settled_at is None)
