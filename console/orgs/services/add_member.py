"""Let a person act in an organization, as commands do it."""

from __future__ import annotations

from django.db import transaction

from console.orgs.audit import record
from console.orgs.models import Membership, Organization, Role, User
from console.orgs.people import keep_an_owner, refuse_second_account
from console.orgs.permissions import Actor
from console.orgs.queries import lock_org
from console.orgs.services.change_role import RoleChange
from console.orgs.services.check_role import check_role
from console.orgs.services.end_tokens import settle_tokens
from console.orgs.services.invite import close_invitations


def add_member(org: Organization, user: User, role: str) -> RoleChange:
    """
    Give *user* the role *role* in *org*, in place of one they had.

    Their API tokens that grant more end, and so do open invitations for their address. Raise
    BadRequest for something that is not a role, and Conflict (``last_owner``) for taking the role
    of owner from the last one, or (``already_member``) when another account of the same address
    is a member.
    """
    check_role(role)
    with transaction.atomic():
        lock_org(org)
        known = Membership.objects.select_related("user").filter(org=org, user=user).first()
        refuse_second_account(org, user)
        if known is not None and role != Role.OWNER:
            keep_an_owner(known)
        membership, is_new = Membership.objects.update_or_create(
            org=org, user=user, defaults={"role": role}
        )
        close_invitations(org, user.email)
        actor = Actor.from_command(org)
        record(
            actor,
            "member.add" if is_new else "member.role",
            kind="member",
            subject=user.email,
            before={"role": known.role} if known else None,
            after={"role": role},
        )
        tokens = settle_tokens(actor, user, role)
    return RoleChange(membership, tokens)
