"""Change the role of a member, effective with their next request."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction

from console.orgs.audit import record
from console.orgs.models import Membership, Role
from console.orgs.people import get_member, require_another_owner
from console.orgs.permissions import Actor, Permission
from console.orgs.services.check_role import check_role
from console.orgs.services.end_tokens import TokenChanges, limit_tokens
from console.orgs.services.lock_members import lock_members


@dataclass(frozen=True, slots=True)
class RoleChange:
    """A membership with its new role, and the effect on the person's tokens."""

    membership: Membership
    tokens: TokenChanges


def change_role(actor: Actor, number: int, role: str, *, keep_tokens: bool = False) -> RoleChange:
    """
    Set the role of membership *number* to *role*, and return the membership.

    API tokens of the person that grant more than *role* are revoked; with *keep_tokens* they stay
    valid and become those of the person behind *actor*. Raises NotAllowed, NotFound, BadRequest
    for an unknown role, and Conflict (``last_owner``) if no other member is an owner.
    """
    actor.require(Permission.MANAGE_ORG)
    check_role(role)
    with transaction.atomic():
        lock_members(actor)
        membership = get_member(actor.org, number)
        before = membership.role
        if role == before:
            return RoleChange(membership, TokenChanges())
        if role != Role.OWNER:
            require_another_owner(membership)
        membership.role = role
        membership.save(update_fields=["role"])
        record(
            actor,
            "member.role",
            kind="member",
            subject=membership.user.email,
            before={"role": before},
            after={"role": role},
        )
        tokens = limit_tokens(actor, membership.user, role, keep=keep_tokens)
    return RoleChange(membership, tokens)
