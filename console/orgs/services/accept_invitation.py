"""Accept an invitation with an existing account, or with a new password."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.hashers import make_password
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from console.errors import BadRequest, Conflict, FieldError, NotFound
from console.orgs.audit import record
from console.orgs.models import BrowserSession, Invitation, Membership, Proof, Role, User
from console.orgs.people import (
    account_with_password,
    invitation_by,
    refuse_second_account,
    waiting_invitation,
)
from console.orgs.permissions import Actor
from console.orgs.queries import lock_org
from console.orgs.services.end_tokens import end_tokens_of_account

#: The message for every unusable link, which does not disclose the cause.
CLOSED = (
    "This invitation cannot be used: it was accepted, revoked or replaced, or it has expired. "
    "Ask an owner for a new one."
)


def accept_invitation(user: User, digest: str) -> Membership:
    """
    Make *user* a member by the invitation whose secret has *digest*, and close the invitation.

    A member keeps their role. Raises NotFound if the invitation cannot be used any more, and
    Conflict if it is for another address (``other_address``) or another account of the address is
    a member (``already_member``).
    """
    with transaction.atomic():
        invitation = _lock(digest)
        if user.email.casefold() != invitation.email.casefold():
            raise Conflict(
                "other_address",
                f"This invitation is for {invitation.email}, and you are {user.email}. "
                "Sign out, and sign in with that address.",
            )
        return _join(user, invitation)


def accept_waiting_invitation(user: User, number: int) -> Membership:
    """
    Make *user* a member by invitation *number*, one of `waiting_invitations`, and close it.

    Raises NotFound if it cannot be used any more, and Conflict (``already_member``) if another
    account of the address is a member.
    """
    with transaction.atomic():
        return _join(user, _lock_waiting(user, number))


def decline_invitation(user: User, number: int) -> Invitation:
    """
    Close invitation *number*, one of `waiting_invitations` of *user*, without joining.

    Raises NotFound if it cannot be used any more.
    """
    with transaction.atomic():
        invitation = _lock_waiting(user, number)
        invitation.revoked_at = timezone.now()
        invitation.save(update_fields=["revoked_at"])
        record(
            Actor.from_user(invitation.org, user, Role.VIEWER),
            "invitation.decline",
            kind="invitation",
            subject=invitation.email,
            before={"role": invitation.role},
        )
    return invitation


def join_with_password(digest: str, password: str) -> Membership:
    """
    Make the invited person a member who signs in with *password*, and close the invitation.

    If an account of the address has that password, its owner has typed it, and that account joins.
    Otherwise the link proves nothing that the inviting organization does not know, so the person
    gets an account that is valid there only: a new one, or one that was created by an invitation
    and has no other organization. The response is the same for an address with and without
    accounts.

    Raises NotFound and Conflict (``already_member``) as `accept_invitation`, Conflict
    (``switched_off``), and BadRequest at ``password`` for a weak password.
    """
    invitation = invitation_by(digest)
    if invitation is None:
        raise NotFound(CLOSED)
    try:
        validate_password(password, User(email=invitation.email))
    except ValidationError as error:
        found = [FieldError("password", "weak_password", text) for text in error.messages]
        raise BadRequest(found, " ".join(error.messages)) from error
    # Hashing takes long: it is done before anything is locked.
    known = account_with_password(invitation.email, password)
    hashed = make_password(password)
    with transaction.atomic():
        invitation = _lock(digest)
        accounts = User.objects.with_address(invitation.email).select_for_update(no_key=True)
        locked = list(accounts.order_by("pk"))
        _refuse_switched_off(locked)
        same = [each for each in locked if known and known.password == each.password]
        user, claimed = (same[0], None) if same else _claim(invitation, locked, hashed)
        membership = _join(user, invitation)
        if claimed is not None:
            record(
                Actor.from_user(invitation.org, user, membership.role),
                "account.take_over",
                kind="account",
                subject=user.email,
                after={
                    "ended_sessions": claimed.sessions,
                    "ended_tokens": claimed.tokens,
                },
            )
    return membership


@dataclass(frozen=True, slots=True)
class _TakenOver:
    """Numbers of ended sessions and tokens of the previous user of an account."""

    sessions: int
    tokens: int


def _claim(
    invitation: Invitation, accounts: list[User], hashed: str
) -> tuple[User, _TakenOver | None]:
    """Return an account for the inviting organization, and the ended sessions and tokens."""
    user = next((each for each in accounts if _is_free(each)), None)
    if user is None:
        user = User(email=User.objects.normalize_email(invitation.email))
        taken_over = None
    else:
        sessions, _ = BrowserSession.objects.filter(user=user).delete()
        taken_over = _TakenOver(sessions, end_tokens_of_account(user))
    user.password, user.proof, user.proven_in = hashed, Proof.INVITATION, invitation.org
    # The earlier user of the account confirmed the address and got the permission, not this one.
    user.address_confirmed_at, user.can_create_orgs = None, False
    user.save()
    return user, taken_over


def _is_free(account: User) -> bool:
    """Return whether *account* was created by an invitation and is a member of no organization."""
    return (
        account.is_active
        and account.proof == Proof.INVITATION
        and not Membership.objects.filter(user=account).exists()
    )


def _refuse_switched_off(accounts: list[User]) -> None:
    for account in accounts:
        if not account.is_active and account.proof != Proof.INVITATION:
            raise Conflict("switched_off", f"The account of {account.email} is disabled.")


def _join(user: User, invitation: Invitation) -> Membership:
    refuse_second_account(invitation.org, user)
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


def _lock_waiting(user: User, number: int) -> Invitation:
    found = waiting_invitation(user, number)
    if found is not None:
        # As in `_lock`.
        lock_org(found.org)
        found = waiting_invitation(user, number)
    if found is None:
        raise NotFound(CLOSED)
    return found


def _lock(digest: str) -> Invitation:
    found = Invitation.objects.select_related("org").filter(digest=digest).first()
    if found is not None:
        # The lock serializes concurrent attempts: the second one finds the invitation accepted or
        # revoked.
        lock_org(found.org)
        found = invitation_by(digest)
    if found is None:
        raise NotFound(CLOSED)
    return found
