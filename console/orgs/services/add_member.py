"""Let a person act in an organization."""

from __future__ import annotations

from django.db import transaction

from console.errors import BadRequest, FieldError
from console.orgs.audit import record
from console.orgs.models import Membership, Organization, Role, User
from console.orgs.permissions import Actor


def add_member(org: Organization, user: User, role: str) -> Membership:
    """
    Give *user* the role *role* in *org*, in place of one they had.

    Raise BadRequest for something that is not a role, and for taking the role
    of owner from the last one.
    """
    if role not in Role.values:
        message = f"{role!r} is not a role; choose one of {', '.join(Role.values)}."
        raise BadRequest([FieldError("role", "invalid_role", message)], message)
    others = Membership.objects.filter(org=org, role=Role.OWNER).exclude(user=user)
    before = Membership.objects.filter(org=org, user=user).values_list("role", flat=True).first()
    if before == Role.OWNER and role != Role.OWNER and not others.exists():
        message = (
            f"{user.email} is the last owner of {org.slug}; make somebody else an owner first."
        )
        raise BadRequest([FieldError("role", "last_owner", message)], message)
    with transaction.atomic():
        membership, is_new = Membership.objects.update_or_create(
            org=org, user=user, defaults={"role": role}
        )
        record(
            Actor.from_command(org),
            "member.add" if is_new else "member.role",
            kind="member",
            subject=user.email,
            before={"role": before} if before else None,
            after={"role": role},
        )
    return membership
