"""Create and revoke invitations, whose links are shown only once."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from datetime import timedelta

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.utils import timezone

from console.errors import BadRequest, Conflict, FieldError, NotFound
from console.orgs.audit import record
from console.orgs.models import Invitation, Membership, Organization, Role
from console.orgs.people import open_invitations
from console.orgs.permissions import Actor, Permission
from console.orgs.services.lock_members import lock_members
from console.orgs.token_secrets import digest_of
from console.orgs.tokens import person_behind

#: Default and maximum number of days until a link expires.
USUAL_DAYS = 7
MOST_DAYS = 30

#: Maximum length of the column `email`.
_LONGEST_EMAIL = 254

#: Maximum number of open invitations of one organization.
MOST_OPEN = 1000


@dataclass(frozen=True, slots=True)
class Invited:
    """A new invitation and the secret of its link, which is not stored."""

    invitation: Invitation
    secret: str = field(repr=False)


def invite(actor: Actor, email: str, role: str, days: int = USUAL_DAYS) -> Invited:
    """
    Create and return an invitation for the address *email*, replacing an earlier one.

    Existing accounts of the address make no difference. Raises NotAllowed, BadRequest, and
    Conflict for a member (``already_member``), or if a thousand invitations are open.
    """
    actor.require(Permission.MANAGE_ORG)
    email = email.strip()
    _check(email, role, days)
    now = timezone.now()
    with transaction.atomic():
        lock_members(actor)
        if Membership.objects.filter(org=actor.org, user__email__iexact=email).exists():
            raise Conflict(
                "already_member", f"{email} is already a member; change their role instead."
            )
        others = open_invitations(actor.org)
        replaced = others.filter(email__iexact=email).update(revoked_at=now)
        if others.count() >= MOST_OPEN:
            message = f"{MOST_OPEN} invitations are open already; revoke some first."
            raise Conflict("too_many_invitations", message)
        secret = secrets.token_urlsafe(32)
        invitation = Invitation.objects.create(
            org=actor.org,
            email=email,
            role=role,
            digest=digest_of(secret),
            created_by=person_behind(actor),
            author=actor.name,
            expires_at=now + timedelta(days=days),
        )
        record(
            actor,
            "invitation.create",
            kind="invitation",
            subject=email,
            after={
                "role": role,
                "expires_at": invitation.expires_at.isoformat(),
                "replaces_another": bool(replaced),
            },
        )
    return Invited(invitation, secret)


def close_invitations(org: Organization, email: str) -> int:
    """Revoke the open invitations of an address, and return their number."""
    links = open_invitations(org).filter(email__iexact=email)
    return links.update(revoked_at=timezone.now())


def revoke_invitation(actor: Actor, number: int) -> Invitation:
    """Revoke invitation *number*; raises NotAllowed, and NotFound if it is not open."""
    actor.require(Permission.MANAGE_ORG)
    with transaction.atomic():
        lock_members(actor)
        invitation = open_invitations(actor.org).filter(pk=number).first()
        if invitation is None:
            raise NotFound(f"There is no open invitation {number} in {actor.org.slug}.")
        invitation.revoked_at = timezone.now()
        invitation.save(update_fields=["revoked_at"])
        record(
            actor,
            "invitation.revoke",
            kind="invitation",
            subject=invitation.email,
            before={"role": invitation.role},
        )
    return invitation


def _check(email: str, role: str, days: int) -> None:
    errors = []
    try:
        validate_email(email)
        is_address = len(email) <= _LONGEST_EMAIL
    except ValidationError:
        is_address = False
    if not is_address:
        errors.append(FieldError("email", "invalid_email", "This is not an e-mail address."))
    if role not in Role.values:
        message = f"There is no role {role!r}; choose one of {', '.join(Role.values)}."
        errors.append(FieldError("role", "unknown_role", message))
    if not 1 <= days <= MOST_DAYS:
        message = f"A link can be used for 1 to {MOST_DAYS} days."
        errors.append(FieldError("expires_in_days", "out_of_range", message))
    if errors:
        raise BadRequest(errors, " ".join(error.message for error in errors))
