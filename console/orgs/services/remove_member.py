"""Remove a member, or leave an organization."""

from __future__ import annotations

from django.db import transaction

from console.errors import NotFound
from console.orgs.audit import record
from console.orgs.models import BrowserSession, Membership
from console.orgs.people import get_member, require_another_owner
from console.orgs.permissions import Actor, Permission
from console.orgs.queries import lock_org
from console.orgs.services.change_role import RoleChange
from console.orgs.services.end_tokens import limit_tokens
from console.orgs.services.invite import close_invitations
from console.orgs.services.lock_members import lock_members


def remove_member(actor: Actor, number: int, *, keep_tokens: bool = False) -> RoleChange:
    """
    Remove member *number* and end their sessions; return the removed membership.

    API tokens created by the member are revoked; with *keep_tokens* they stay valid and become
    those of the person behind *actor*. Raises NotAllowed, NotFound, and Conflict (``last_owner``).
    """
    actor.require(Permission.MANAGE_ORG)
    with transaction.atomic():
        lock_members(actor)
        membership = get_member(actor.org, number)
        _delete_membership(membership)
        BrowserSession.objects.filter(user=membership.user).delete()
        tokens = limit_tokens(actor, membership.user, None, keep=keep_tokens)
        record(
            actor,
            "member.remove",
            kind="member",
            subject=membership.user.email,
            before={"role": membership.role},
        )
    return RoleChange(membership, tokens)


def leave_org(actor: Actor) -> None:
    """
    Let a member leave, and revoke the API tokens created by the member.

    Raises NotFound, and Conflict (``last_owner``).
    """
    with transaction.atomic():
        lock_org(actor.org)
        mine = Membership.objects.select_related("user").filter(org=actor.org, user=actor.user)
        membership = mine.first()
        if membership is None:
            raise NotFound(f"You are not a member of {actor.org.slug}.")
        _delete_membership(membership)
        limit_tokens(actor, membership.user, None)
        record(
            actor,
            "member.leave",
            kind="member",
            subject=membership.user.email,
            before={"role": membership.role},
        )


def _delete_membership(membership: Membership) -> None:
    require_another_owner(membership)
    # An open invitation would let the person join again.
    close_invitations(membership.org, membership.user.email)
    Membership.objects.filter(pk=membership.pk).delete()
