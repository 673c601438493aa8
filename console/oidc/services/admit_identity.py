"""Find the person whose identity the provider proved, and connect the two the first time."""

from __future__ import annotations

from allauth.socialaccount.models import SocialAccount
from django.db import transaction

from console.errors import NotAllowed
from console.oidc.configure import PROVIDER
from console.orgs.audit import record_person
from console.orgs.models import User
from console.orgs.people import invitation_by, person_by
from console.reading import is_storable


def admit_identity(identity: str, email: str, *, is_verified: bool, invited_by: str) -> User:
    """
    Return the person with *identity*, which is an issuer and a subject and stays theirs.

    The first time they are found by their e-mail address, which the provider must have
    verified. Somebody new needs an open invitation to that address: *invited_by* is the
    digest of its secret. Raises NotAllowed, with a sentence for the person.
    """
    known = SocialAccount.objects.select_related("user").filter(provider=PROVIDER, uid=identity)
    with transaction.atomic():
        account = known.first()
        user = account.user if account else _first_time(identity, email, is_verified, invited_by)
    if not user.is_active:
        raise NotAllowed(f"The account of {user.email} is switched off.")
    return user


def _first_time(identity: str, email: str, is_verified: bool, invited_by: str) -> User:
    if not (email and is_storable(email)):
        raise NotAllowed("The sign-in provider did not tell an e-mail address.")
    if not is_verified:
        raise NotAllowed(f"The sign-in provider has not verified that {email} is yours.")
    user = person_by(email) or _invited(email, invited_by)
    # Of two first times at once the second waits, and finds what the first one made.
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
    mine = SocialAccount.objects.filter(provider=PROVIDER, user=user).first()
    if mine is None:
        SocialAccount.objects.create(provider=PROVIDER, uid=identity, user=user, extra_data={})
        record_person(user, "account.connect")
    elif mine.uid != identity:
        raise NotAllowed(
            f"The account of {user.email} belongs to another identity of the sign-in provider. "
            "Whoever runs this console can disconnect it."
        )
    return user


def _invited(email: str, digest: str) -> User:
    invitation = invitation_by(digest) if digest else None
    if invitation is None or invitation.email.casefold() != email.casefold():
        raise NotAllowed(
            f"There is no account for {email} here. Ask an owner of an organization for an "
            "invitation, open its link, and sign in from there."
        )
    return User.objects.create_user(invitation.email)
