"""Find the person whose identity the provider proved, and connect the two the first time."""

from __future__ import annotations

from dataclasses import dataclass

from allauth.socialaccount.models import SocialAccount
from django.db import transaction

from console.errors import NotAllowed
from console.oidc.configure import PROVIDER
from console.orgs.audit import record_person
from console.orgs.models import ApiToken, BrowserSession, Membership, Proof, User
from console.orgs.people import accounts_of, invitation_by
from console.reading import is_storable


@dataclass(frozen=True, slots=True)
class AdmittedUser:
    """A person who may come in, and whether the password that they had has just ended."""

    user: User
    has_lost_password: bool = False


def admit_identity(
    identity: str, email: str, *, is_verified: bool, invited_by: str
) -> AdmittedUser:
    """
    Return the person with *identity*, which is an issuer and a subject and stays theirs.

    The first time they are found by their e-mail address, which the provider must have
    verified: of several accounts of that address one becomes theirs and takes over the memberships
    of those that invitations began. A new person needs an open invitation to that address:
    *invited_by* is the digest of its secret. Raises NotAllowed, with a sentence for the person.
    """
    known = SocialAccount.objects.select_related("user").filter(provider=PROVIDER, uid=identity)
    with transaction.atomic():
        account = known.first()
        if account is None:
            return _connect_identity(identity, email, is_verified, invited_by)
    _refuse_disabled(account.user)
    if account.user.proof == Proof.UNKNOWN:
        # A version that recorded no proof connected it.
        User.objects.filter(pk=account.user.pk).update(proof=Proof.PROVIDER)
    return AdmittedUser(account.user)


def _connect_identity(
    identity: str, email: str, is_verified: bool, invited_by: str
) -> AdmittedUser:
    if not (email and is_storable(email)):
        raise NotAllowed("The sign-in provider did not tell an e-mail address.")
    if not is_verified:
        raise NotAllowed(f"The sign-in provider has not verified that {email} is yours.")
    accounts = accounts_of(email)
    user = accounts[0] if accounts else _invited(email, invited_by)
    # Of two first times at once the second waits, and finds what the first one made.
    user = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    _refuse_disabled(user)
    mine = SocialAccount.objects.filter(provider=PROVIDER, user=user).first()
    if mine is None:
        SocialAccount.objects.create(provider=PROVIDER, uid=identity, user=user, extra_data={})
        has_lost_password = _end_password(user)
        user.proof, user.proven_in = Proof.PROVIDER, None
        user.save(update_fields=["proof", "proven_in"])
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
    End the password of *user* and whoever is signed in with it; say whether there was one.

    Choosing it took no mail to this address: an owner who invites an address knows the link, and
    can begin its account.
    """
    if not user.has_usable_password():
        return False
    user.set_unusable_password()
    user.save(update_fields=["password"])
    BrowserSession.objects.filter(user=user).delete()
    return True


def _merge_accounts(user: User, other: User) -> None:
    """
    Give *user* the memberships of *other*, an account that an invitation to their address began.

    The inviting organizations gave them to the person with the address, and the provider has
    verified who that is. Signing in to *other* is not possible any more.
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
