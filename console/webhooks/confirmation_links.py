"""
Signed links in e-mails that confirm the address of a member.

A link works for a day, and only in the account that it was sent for. So the person who confirms an
address reads its e-mail and can sign in to the account.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.core import signing

from console.errors import NotFound
from console.orgs.models import Membership

_SALT: Final = "console.webhooks.confirmation"

#: How long a link works after its e-mail was sent.
VALID_FOR: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class ConfirmationLink:
    """The key of the membership and the address that a link confirms."""

    member: int
    email: str


def confirmation_url(member: Membership) -> str:
    """Return the URL of the page that confirms the address of *member*."""
    signed = signing.dumps([member.pk, member.user.email], salt=_SALT)
    return f"{settings.PUBLIC_URL}/confirm/{signed}"


def read_confirmation_link(text: str) -> ConfirmationLink:
    """Return the content of *text*, the end of a link; raises NotFound."""
    try:
        member, email = signing.loads(text, salt=_SALT, max_age=VALID_FOR)
    except signing.SignatureExpired as error:
        raise NotFound(
            "This link has expired: send another confirmation e-mail on the page Notifications, "
            "in the settings of your organization."
        ) from error
    except signing.BadSignature as error:
        raise NotFound(
            "This link is not valid: open the whole link of the e-mail, or send another one on the "
            "page Notifications, in the settings of your organization."
        ) from error
    return ConfirmationLink(member, email)
