"""Queries of memberships: the organizations of a person, and their role in each."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from django.db import connection
from django.db.models import QuerySet

from console import statements
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

    An organization of which *user* is not a member raises the same NotFound as an unknown one, so
    that names of organizations are not disclosed.
    """
    membership = membership_of(user, slug)
    return Actor.from_user(membership.org, user, membership.role, membership)


def membership_of(user: User, slug: str) -> Membership:
    """Return the membership of *user* in organization *slug*; raises NotFound as `actor_for`."""
    membership = Membership.objects.select_related("org").filter(org__slug=slug, user=user).first()
    if membership is None:
        raise NotFound(f"There is no organization {slug!r} that you are a member of.")
    return membership


def member_in_session(digest: str, slug: str, now: datetime) -> Membership | None:
    """
    Return the membership of the signed-in person in the organization *slug*, or None.

    The session is the row with *digest*. One query reads all that is needed; `session_data` of the
    result is the content of the session, which the caller has to verify. Other columns are
    deferred.
    """
    moment = connection.ops.adapt_datetimefield_value(now)
    rows = statements.rows(_MEMBER_IN_SESSION, [slug, digest, moment])
    if not rows:
        return None
    session_data, *columns = rows[0]
    using = connection.alias
    # Values in the order of a model's own columns.
    user = User.from_db(using, _USER_COLUMNS, columns[:8])
    org = Organization.from_db(using, ("id", "slug", "name"), columns[8:11])
    member = Membership.from_db(using, ("id", "role"), columns[11:])
    member.user, member.org = user, org
    member.session_data = session_data  # type: ignore[attr-defined]
    return member


_USER_COLUMNS: Final = (
    *("id", "password", "is_active", "email"),
    *("time_zone", "date_order", "clock", "grouping"),
)

#: Every poll of every open page runs this query.
_MEMBER_IN_SESSION: Final = """SELECT
        s.session_data,
        u.id, cast(u.password AS text), u.is_active, cast(u.email AS text),
        cast(u.time_zone AS text), cast(u.date_order AS text), cast(u.clock AS text),
        cast(u.grouping AS text),
        o.id, cast(o.slug AS text), cast(o.name AS text), m.id, cast(m.role AS text)
    FROM orgs_membership m
    JOIN orgs_organization o ON o.id = m.org_id
    JOIN orgs_user u ON u.id = m.user_id
    JOIN orgs_browsersession s ON s.user_id = u.id
    WHERE o.slug = %s AND u.is_active AND s.digest = %s AND s.expire_date > %s
"""


def lock_org(org: Organization) -> None:
    """
    Lock *org* until the end of the transaction, so that such transactions run one after the other.

    So a count that is checked before an insert stays within its limit. Rows that only refer to
    *org* are not blocked.
    """
    Organization.objects.select_for_update(no_key=True).get(pk=org.pk)
