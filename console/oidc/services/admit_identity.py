"""Find the person whose identity the provider proved, and connect the two the first time."""

from __future__ import annotations

from dataclasses import dataclass

from allauth.socialaccount.models import SocialAccount
from django.db import transaction

from console.errors import NotAllowed
from console.oidc.configure import PROVIDER
from console.orgs.audit import record_person
from console.orgs.models import BrowserSession, User
from console.orgs.people import invitation_by, person_by
from console.reading import is_storable


@dataclass(frozen=True, slots=True)
class Admitted:
    """A person who may come in, and whether the password that they had has just ended."""

    user: User
    has_lost_password: bool = False


def admit_identity(identity: str, email: str, *, is_verified: bool, invited_by: str) -> Admitted:
    """
    Return the person with *identity*, which is an issuer and a subject and stays theirs.

    The first time they are found by their e-mail address, which the provider must have
    verified. Somebody new needs an open invitation to that address: *invited_by* is the
    digest of its secret. Raises NotAllowed, with a sentence for the person.
    """
    known = SocialAccount.objects.select_related("user").filter(provider=PROVIDER, uid=identity)
    with transaction.atomic():
        account = known.first()
        if account is None:
            return _first_time(identity, email, is_verified, invited_by)
    _refuse_switched_off(account.user)
    return Admitted(account.user)


def _first_time(identity: str, email: str, is_verified: bool, invited_by: str) -> Admitted:
    if not (email and is_storable(email)):
        raise NotAllowed("The sign-in provider did not tell an e-mail address.")
    if not is_verified:
        raise NotAllowed(f"The sign-in provider has not verified that {email} is yours.")
    user = person_by(email) or _invited(email, invited_by)
    # Of two first times at once the second waits, and finds what the first one made.
    user = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    _refuse_switched_off(user)
    mine = SocialAccount.objects.filter(provider=PROVIDER, user=user).first()
    if mine is None:
        SocialAccount.objects.create(provider=PROVIDER, uid=identity, user=user, extra_data={})
        has_lost_password = _end_password(user)
        record_person(user, "account.connect", after={"ended_password": has_lost_password})
        return Admitted(user, has_lost_password)
    if mine.uid != identity:
        raise NotAllowed(
            f"The account of {user.email} belongs to another identity of the sign-in provider. "
            "Whoever runs this console can disconnect it."
        )
    return Admitted(user)


def _end_password(user: User) -> bool:
    """
    End the password of *user* and whoever is signed in with it; say whether there was one.

    Nobody had to read mail at this address to choose it: who invites knows the link, and could
    have begun the account of somebody else.
    """
    if not user.has_usable_password():
        return False
    user.set_unusable_password()
    user.save(update_fields=["password"])
    BrowserSession.objects.filter(user=user).delete()
    return True


def _refuse_switched_off(user: User) -> None:
    if not user.is_active:
        raise NotAllowed(f"The account of {user.email} is switched off.")


def _invited(email: str, digest: str) -> User:
    invitation = invitation_by(digest) if digest else None
    if invitation is None or invitation.email.casefold() != email.casefold():
        raise NotAllowed(
            f"There is no account for {email} here. Ask an owner of an organization for an "
            "invitation, open its link, and sign in from there."
        )
    return User.objects.create_user(invitation.email)
