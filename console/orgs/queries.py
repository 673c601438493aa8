"""Whom a person may act as: the organizations they belong to, and their role in each."""

from __future__ import annotations

from datetime import datetime

from django.db.models import F, QuerySet

from console.errors import NotFound
from console.orgs.models import Membership, Organization, Role, User
from console.orgs.permissions import Actor


def orgs_of(user: User) -> QuerySet[Organization]:
    """Return the organizations that *user* is a member of, by slug."""
    return Organization.objects.filter(memberships__user=user).order_by("slug")


def owned_by(user: User) -> QuerySet[Organization]:
    """Return the organizations that *user* owns, by slug."""
    mine = Membership.objects.filter(user=user, role=Role.OWNER)
    return Organization.objects.filter(memberships__in=mine).order_by("slug")


def actor_for(user: User, slug: str) -> Actor:
    """
    Return *user* as actor in the organization *slug*.

    A foreign organization raises the same NotFound as an unknown one, so that
    nobody learns which ones exist.
    """
    membership = membership_of(user, slug)
    return Actor.from_user(membership.org, user, membership.role)


def membership_of(user: User, slug: str) -> Membership:
    """Return the membership of *user* in the organization *slug*; or NotFound as `actor_for`."""
    membership = Membership.objects.select_related("org").filter(org__slug=slug, user=user).first()
    if membership is None:
        raise NotFound(f"There is no organization {slug!r} that you are a member of.")
    return membership


def member_in_session(session_key: str, slug: str, now: datetime) -> Membership | None:
    """
    Return whoever is signed in with a session, as member of the organization *slug*; or None.

    It is one read of everything that lets them in: `session_data` of what is returned is what
    the session holds, which is still to be verified.
    """
    found = Membership.objects.filter(
        org__slug=slug,
        user__is_active=True,
        user__sessions__session_key=session_key,
        user__sessions__expire_date__gt=now,
    )
    told = found.annotate(session_data=F("user__sessions__session_data"))
    return next(iter(told.select_related("org", "user")), None)


def lock_org(org: Organization) -> None:
    """
    Let one transaction after the other do what only one may, from here to its end.

    What is counted and then added to stays within its bound so. Rows that only
    refer to *org* are written beside it.
    """
    Organization.objects.select_for_update(no_key=True).get(pk=org.pk)
