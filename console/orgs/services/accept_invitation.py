"""Let somebody in who was invited: give them an account first, if they have none."""

from __future__ import annotations

from contextlib import suppress

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from console.errors import BadRequest, Conflict, FieldError, NotFound
from console.orgs.audit import record
from console.orgs.models import Invitation, Membership, User
from console.orgs.people import invitation_by
from console.orgs.permissions import Actor
from console.orgs.queries import lock_org
from console.orgs.services.create_user import create_user

#: Said of every link that does not open anything, whatever the reason.
CLOSED = (
    "This invitation cannot be used: it was accepted, taken back or replaced, or it is too old. "
    "Ask whoever sent it for another."
)


def accept_invitation(user: User, digest: str) -> Membership:
    """
    Make *user* a member by the invitation whose secret has *digest*, which closes it.

    A person who is a member already keeps their role. Raises NotFound when it cannot be
    used any more, and Conflict (``other_address``) when it was sent to somebody else.
    """
    with transaction.atomic():
        invitation = _lock(digest)
        if user.email.casefold() != invitation.email.casefold():
            raise Conflict(
                "other_address",
                f"This invitation is for {invitation.email}, and you are {user.email}. "
                "Sign out, and sign in with that address.",
            )
        invitation.accepted_at = timezone.now()
        invitation.save(update_fields=["accepted_at"])
        membership, _ = Membership.objects.get_or_create(
            org=invitation.org, user=user, defaults={"role": invitation.role}
        )
        record(
            Actor.from_user(invitation.org, user, membership.role),
            "invitation.accept",
            kind="invitation",
            subject=invitation.email,
            after={"role": membership.role},
        )
    return membership


def begin_account(digest: str, password: str) -> str:
    """
    Give the invited person an account with *password*, and return its address.

    When they have one nothing happens, and nothing tells the difference: neither the
    answer nor how long it takes. Raises NotFound as `accept_invitation`, and BadRequest
    at ``password`` for one that is too easy.
    """
    invitation = invitation_by(digest)
    if invitation is None:
        raise NotFound(CLOSED)
    try:
        validate_password(password, User(email=invitation.email))
    except ValidationError as error:
        found = [FieldError("password", "weak_password", text) for text in error.messages]
        raise BadRequest(found, " ".join(error.messages)) from error
    # The password is hashed either way, so that time says nothing, either.
    with suppress(Conflict):
        create_user(invitation.email, password)
    return invitation.email


def _lock(digest: str) -> Invitation:
    found = Invitation.objects.select_related("org").filter(digest=digest).first()
    if found is not None:
        # Of two who accept at once the second finds it closed; so does one who comes
        # while it is taken back.
        lock_org(found.org)
        found = invitation_by(digest)
    if found is None:
        raise NotFound(CLOSED)
    return found
