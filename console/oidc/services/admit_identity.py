"""Find the user of an identity that the provider verified; connect both at the first sign-in."""

from __future__ import annotations

from dataclasses import dataclass

from allauth.socialaccount.models import SocialAccount
from django.db import transaction
from django.utils import timezone

from console.errors import NotAllowed
from console.oidc.configure import PROVIDER
from console.orgs.audit import record_person
from console.orgs.models import ApiToken, BrowserSession, Membership, Proof, User
from console.orgs.people import accounts_of, invitation_by
from console.reading import is_storable


@dataclass(frozen=True, slots=True)
class AdmittedUser:
    """A user who may sign in, and whether their password was just disabled."""

    user: User
    has_lost_password: bool = False


def admit_identity(
    identity: str, email: str, *, is_verified: bool, invited_by: str
) -> AdmittedUser:
    """
    Return the user with *identity*, which consists of issuer and subject and never changes.

    At the first sign-in, the user is found by the e-mail address, which the provider must have
    verified. If several accounts have that address, one is connected and takes over the memberships
    of the accounts that invitations created. Without an account, an open invitation to that address
    is required: *invited_by* is the digest of its secret. Raise NotAllowed, with a message for the
    user.
    """
    known = SocialAccount.objects.select_related("user").filter(provider=PROVIDER, uid=identity)
    with transaction.atomic():
        account = known.first()
        if account is None:
            return _connect_identity(identity, email, is_verified, invited_by)
    _refuse_disabled(account.user)
    if account.user.proof == Proof.UNKNOWN:
        # Connected by a version that did not record the proof.
        User.objects.filter(pk=account.user.pk).update(proof=Proof.PROVIDER)
    if account.user.address_confirmed_at is None:
        # Connected by a version that did not record it.
        User.objects.filter(pk=account.user.pk).update(address_confirmed_at=timezone.now())
    return AdmittedUser(account.user)


def _connect_identity(
    identity: str, email: str, is_verified: bool, invited_by: str
) -> AdmittedUser:
    if not (email and is_storable(email)):
        raise NotAllowed("The sign-in provider did not send an e-mail address.")
    if not is_verified:
        raise NotAllowed(f"The sign-in provider has not verified that {email} is yours.")
    accounts = accounts_of(email)
    user = accounts[0] if accounts else _invited(email, invited_by)
    # Of two concurrent first sign-ins, the second waits and finds the account of the first.
    user = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    _refuse_disabled(user)
    mine = SocialAccount.objects.filter(provider=PROVIDER, user=user).first()
    if mine is None:
        SocialAccount.objects.create(provider=PROVIDER, uid=identity, user=user, extra_data={})
        has_lost_password = _end_password(user)
        user.proof, user.proven_in = Proof.PROVIDER, None
        user.address_confirmed_at = timezone.now()
        user.save(update_fields=["proof", "proven_in", "address_confirmed_at"])
        for other in accounts[1:]:
            _merge_accounts(user, other)
        record_person(user, "account.connect", after={"ended_password": has_lost_password})
        return AdmittedUser(user, has_lost_password)
    if mine.uid != identity:
        raise NotAllowed(
            f"The account of {user.email} belongs to another identity of the sign-in provider. "
            "The operator of this console can disconnect it."
        )
    return AdmittedUser(user)


def _end_password(user: User) -> bool:
    """
    Disable the password of *user* and end its sessions; return whether there was a password.

    The password does not prove access to the e-mail address: an owner who invites an address knows
    the link, and can create its account.
    """
    if not user.has_usable_password():
        return False
    user.set_unusable_password()
    user.save(update_fields=["password"])
    BrowserSession.objects.filter(user=user).delete()
    return True


def _merge_accounts(user: User, other: User) -> None:
    """
    Move the memberships of *other*, an account created by an invitation, to *user*, and disable it.

    The organizations invited the person with the e-mail address, and the provider has verified that
    this is *user*.
    """
    theirs = Membership.objects.filter(user=other)
    theirs.exclude(org__memberships__user=user).update(user=user)
    theirs.delete()
    ApiToken.objects.filter(created_by=other).update(created_by=user)
    _end_password(other)
    other.is_active = False
    other.save(update_fields=["is_active"])


def _refuse_disabled(user: User) -> None:
    if not user.is_active:
        raise NotAllowed(f"The account of {user.email} is disabled.")


def _invited(email: str, digest: str) -> User:
    invitation = invitation_by(digest) if digest else None
    if invitation is None or invitation.email.casefold() != email.casefold():
        raise NotAllowed(
            f"There is no account for {email} here. Ask an owner of an organization for an "
            "invitation, open its link, and sign in from there."
        )
    return User.objects.create_user(invitation.email, proof=Proof.PROVIDER)
