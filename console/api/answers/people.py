"""Response bodies of members, invitations and tokens, without secrets."""

from __future__ import annotations

from typing import Any

from console.api.answers.times import time_answer
from console.orgs.identities import identity_of_member
from console.orgs.models import ApiToken, Invitation, Membership
from console.orgs.people import invitations_above
from console.orgs.permissions import Actor, Permission
from console.orgs.services.change_role import RoleChange
from console.orgs.tokens import is_unused


def member_answer(actor: Actor, member: Membership) -> dict[str, Any]:
    """Return one member, as far as *actor* may see it."""
    identity = identity_of_member(member, member.user)
    answer = {
        "id": str(member.pk),
        "email": member.user.email,
        "role": member.role,
        "user": identity.user,
        "groups": list(identity.groups),
        "joined_at": time_answer(member.joined_at),
    }
    if actor.may(Permission.MANAGE_ORG):
        answer["last_active_at"] = time_answer(member.last_active_at)
    return answer


def changed_member_answer(actor: Actor, change: RoleChange, role: str | None) -> dict[str, Any]:
    """
    Return a member whose role was changed to *role*; None means removed.

    The response includes the effect on the member's tokens, and open invitations that grant more
    than the role.
    """
    above = invitations_above(actor.org, change.membership.user, role)
    return {
        **member_answer(actor, change.membership),
        "ended_tokens": change.tokens.ended,
        "kept_tokens": change.tokens.kept,
        "open_invitations": [invitation_answer(each) for each in above],
    }


def invitation_answer(invitation: Invitation) -> dict[str, Any]:
    """Return one invitation."""
    return {
        "id": str(invitation.pk),
        "email": invitation.email,
        "role": invitation.role,
        "author": invitation.author,
        "created_at": time_answer(invitation.created_at),
        "expires_at": time_answer(invitation.expires_at),
    }


def token_answer(token: ApiToken) -> dict[str, Any]:
    """Return one token."""
    successor = token.successor_id
    return {
        "id": str(token.pk),
        "name": token.name,
        "role": token.role,
        "user": token.user_name,
        "groups": token.groups,
        "prefix": token.prefix,
        "author": token.author,
        "created_at": time_answer(token.created_at),
        "expires_at": time_answer(token.expires_at),
        "revoked_at": time_answer(token.revoked_at),
        "last_used_at": time_answer(token.last_used_at),
        "last_used_ip": token.last_used_ip,
        "last_used_agent": token.last_used_agent,
        "is_unused": is_unused(token),
        "successor": str(successor) if successor else None,
    }
