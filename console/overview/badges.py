"""Badges: a person's role and number of attention items in each organization."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db.models import QuerySet

from console.orgs.models import Membership, Organization, User
from console.overview.models import Outlook

#: Age after which a count of attention items is unknown.
_STALE: Final = timedelta(minutes=30)


@dataclass(frozen=True, slots=True, kw_only=True)
class Badge:
    """An organization in the list of a person's organizations."""

    org: Organization
    role: str
    #: Number of attention items without hints; None if it is outdated.
    urgent: int | None


def badges_of(user: User, now: datetime, limit: int, part: str = "") -> list[Badge]:
    """
    Return the first *limit* organizations of *user* by slug, in one query.

    Only those whose name or slug contains *part*, ignoring case.
    """
    rows: QuerySet[Membership] = Membership.objects.filter(user=user)
    if part:
        rows = rows.filter(org__slug__icontains=part) | rows.filter(org__name__icontains=part)
    found = rows.select_related("org__outlook").order_by("org__slug")[:limit]
    return [Badge(org=each.org, role=each.role, urgent=_urgent(each.org, now)) for each in found]


def _urgent(org: Organization, now: datetime) -> int | None:
    outlook = getattr(org, "outlook", None)
    if outlook is None or outlook.looked_at < now - _STALE:
        return None
    return int(outlook.urgent)


def outlook_digest(org: Organization) -> str:
    """Return a digest of the attention items of *org*; empty before the first check."""
    found = Outlook.objects.filter(org=org).values_list("digest", flat=True).first()
    return found or ""
