"""
Which accounts may create organizations in the browser, and how many.

An owner who invites an address knows the link, and can choose the password of the new account. With
such an account, an organization could be created, and members invited, in the name of another
person. So the account has to be known to belong to the person with its address, whatever the
settings permit.
"""

from __future__ import annotations

import shlex
from datetime import datetime, timedelta
from typing import Final

from django.conf import settings

from console.errors import Conflict, NotAllowed
from console.orgs.models import Organization, User
from console.orgs.people import owns_address

#: Maximum number of organizations that the accounts of one address create within a day.
MOST_A_DAY: Final = 5


def may_create_orgs(user: User) -> bool:
    """Return whether *user* may create organizations in the browser."""
    return why_not_create_orgs(user) is None


def why_not_create_orgs(user: User) -> str | None:
    """Return why *user* may not create organizations, and what to do; None if they may."""
    if settings.ORG_CREATION == "none":
        return (
            "Organizations of this console are created on the command line: its operator can run "
            "python manage.py create_org."
        )
    if settings.ORG_CREATION == "permitted" and not user.can_create_orgs:
        return (
            "Your account may not create organizations: the operator of this console can permit it "
            f"with python manage.py allow_creating_orgs {shlex.quote(user.email)}."
        )
    if not owns_address(user):
        return (
            "Your account was created by an invitation, so it is not known whether it is yours: "
            "confirm its address under Notifications in the settings of an organization, or ask "
            "the operator of this console to run python manage.py allow_creating_orgs "
            f"{shlex.quote(user.email)} --existing."
        )
    return None


def require_creating_orgs(user: User) -> None:
    """Raise NotAllowed, with the reason and what to do, if *user* may not create organizations."""
    reason = why_not_create_orgs(user)
    if reason is not None:
        raise NotAllowed(reason)


def refuse_too_many_orgs(accounts: list[User], now: datetime) -> None:
    """
    Raise Conflict (``too_many_orgs``) if *accounts*, those of one address, have created too many.

    Call it while the accounts are locked, so that the count stays within the limit.
    """
    created = Organization.objects.filter(created_by__in=accounts)
    most = settings.ORGS_PER_PERSON
    if created.count() >= most:
        raise Conflict(
            "too_many_orgs",
            f"You have created the maximum number of organizations: {most}. The operator of this "
            "console can raise ORGS_PER_PERSON, or create one on the command line.",
        )
    if created.filter(created_at__gt=now - timedelta(days=1)).count() >= MOST_A_DAY:
        raise Conflict(
            "too_many_orgs",
            f"You have created {MOST_A_DAY} organizations within a day, the maximum. Create the "
            "next one tomorrow.",
        )
