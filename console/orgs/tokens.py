"""Queries of API tokens: valid and ended ones."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import Q
from django.utils import timezone

from console.errors import NotFound
from console.orgs.identities import (
    NO_IDENTITY,
    Identity,
    identity_of_member,
    identity_of_token,
)
from console.orgs.models import ApiToken, Membership, Organization, User
from console.orgs.permissions import Actor, is_above, may_submit, may_submit_for_others
from console.paging import Page, newest_first

#: A token that was not used for this time is reported as unused.
UNUSED_AFTER = timedelta(days=30)


def _working(now: datetime) -> Q:
    return Q(revoked_at=None) & (Q(expires_at=None) | Q(expires_at__gt=now))


def list_tokens(
    org: Organization, *, ended: bool, limit: int, cursor: str | None
) -> Page[ApiToken]:
    """Return tokens of *org*, newest first: valid ones, or those that *ended*."""
    driven = ApiToken.objects.filter(org=org).select_related("created_by", "successor")
    works = _working(timezone.now())
    return newest_first(driven, ~works if ended else works, limit, cursor)


def get_token(org: Organization, number: int) -> ApiToken:
    """Return one token, valid or ended; raises NotFound."""
    found = ApiToken.objects.select_related("org").filter(org=org, pk=number).first()
    if found is None:
        raise NotFound(f"There is no token {number} in {org.slug}.")
    return found


def count_valid_tokens(org: Organization) -> int:
    """Return the number of valid tokens of *org*."""
    return ApiToken.objects.filter(_working(timezone.now()), org=org).count()


def valid_tokens_of(org: Organization, user: User) -> list[ApiToken]:
    """Return the valid tokens of *org* that belong to *user*, the oldest first."""
    theirs = ApiToken.objects.filter(_working(timezone.now()), org=org, created_by=user)
    return list(theirs.order_by("pk"))


def tokens_above(org: Organization, user: User, role: str | None) -> list[ApiToken]:
    """
    Return the valid tokens of *user* in *org* that grant permissions beyond *role*.

    A role of None means no role, so every token is returned. A token that may submit, with a user
    or groups that the member does not have, submits for others.
    """
    member = Membership.objects.filter(org=org, user=user).first()
    own = identity_of_member(member, user) if member is not None else NO_IDENTITY
    return [
        each
        for each in valid_tokens_of(org, user)
        if is_above(each.role, role)
        or (_submits_for_others(each, own) and not may_submit_for_others(role))
    ]


def _submits_for_others(token: ApiToken, own: Identity) -> bool:
    identity = identity_of_token(token)
    is_own = identity.user in ("", own.user) and set(identity.groups) <= set(own.groups)
    return may_submit(token.role) and not is_own


def person_behind(actor: Actor) -> User | None:
    """Return the acting person, or the owner of the acting token; None for commands."""
    return actor.token.created_by if actor.token is not None else actor.user


def is_working(token: ApiToken) -> bool:
    """Return whether *token* is valid now."""
    is_over = token.expires_at is not None and token.expires_at <= timezone.now()
    return token.revoked_at is None and not is_over


def is_unused(token: ApiToken) -> bool:
    """Return whether *token* is valid and was not used for 30 days."""
    since = timezone.now() - UNUSED_AFTER
    return is_working(token) and (token.last_used_at or token.created_at) < since
