"""Take somebody out of an organization, or leave it."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from console.errors import NotFound
from console.orgs.audit import record
from console.orgs.models import BrowserSession, Membership
from console.orgs.people import get_member, keep_an_owner, open_invitations
from console.orgs.permissions import Actor, Permission
from console.orgs.queries import lock_org
from console.orgs.services.lock_members import lock_members
from console.orgs.services.revoke_token import revoke_tokens_of


def remove_member(actor: Actor, number: int, *, revoke_tokens: bool = False) -> Membership:
    """
    Take member *number* out and sign them out everywhere; return what they were.

    Tokens that they made belong to the organization and go on, unless *revoke_tokens*.
    Raises NotAllowed, NotFound, and Conflict (``last_owner``).
    """
    actor.require(Permission.MANAGE_ORG)
    with transaction.atomic():
        lock_members(actor)
        membership = get_member(actor.org, number)
        _take_out(membership)
        BrowserSession.objects.filter(user=membership.user).delete()
        if revoke_tokens:
            revoke_tokens_of(actor, membership.user)
        record(
            actor,
            "member.remove",
            kind="member",
            subject=membership.user.email,
            before={"role": membership.role},
        )
    return membership


def leave_org(actor: Actor) -> None:
    """Let a member go by themselves; raises NotFound, and Conflict (``last_owner``)."""
    with transaction.atomic():
        lock_org(actor.org)
        mine = Membership.objects.select_related("user").filter(org=actor.org, user=actor.user)
        membership = mine.first()
        if membership is None:
            raise NotFound(f"You are not a member of {actor.org.slug}.")
        _take_out(membership)
        record(
            actor,
            "member.leave",
            kind="member",
            subject=membership.user.email,
            before={"role": membership.role},
        )


def _take_out(membership: Membership) -> None:
    keep_an_owner(membership)
    # A link that is still open would be a way back in.
    links = open_invitations(membership.org).filter(email__iexact=membership.user.email)
    links.update(revoked_at=timezone.now())
    Membership.objects.filter(pk=membership.pk).delete()
