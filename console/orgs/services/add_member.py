"""Add a member to an organization, for commands."""

from __future__ import annotations

from django.db import transaction

from console.orgs.audit import record
from console.orgs.models import Membership, Organization, Role, User
from console.orgs.people import refuse_second_account, require_another_owner
from console.orgs.permissions import Actor
from console.orgs.queries import lock_org
from console.orgs.services.change_role import RoleChange
from console.orgs.services.check_role import check_role
from console.orgs.services.end_tokens import limit_tokens
from console.orgs.services.invite import close_invitations


def add_member(org: Organization, user: User, role: str) -> RoleChange:
    """
    Give *user* the role *role* in *org*, replacing their current role.

    API tokens of the person that grant more are revoked, as are open invitations for their
    address. Raises BadRequest for an unknown role, and Conflict for the last owner
    (``last_owner``), or if another account of the same address is a member (``already_member``).
    """
    check_role(role)
    with transaction.atomic():
        lock_org(org)
        known = Membership.objects.select_related("user").filter(org=org, user=user).first()
        refuse_second_account(org, user)
        if known is not None and role != Role.OWNER:
            require_another_owner(known)
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
        tokens = limit_tokens(actor, user, role)
    return RoleChange(membership, tokens)
