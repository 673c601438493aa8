"""Signed links in e-mails that end a subscription without signing in; they never expire."""

from __future__ import annotations

from typing import Final

from django.conf import settings
from django.core.signing import BadSignature, Signer

from console.errors import NotFound
from console.orgs.models import Membership

_SALT: Final = "console.webhooks.unsubscribe"


def unsubscribe_url(member: Membership) -> str:
    """Return the URL of the page that ends the subscription of *member*."""
    return f"{settings.PUBLIC_URL}/unsubscribe/{Signer(salt=_SALT).sign(str(member.pk))}"


def member_of_link(text: str) -> int:
    """Return the key of the membership that *text*, the end of a link, names; raises NotFound."""
    try:
        return int(Signer(salt=_SALT).unsign(text))
    except BadSignature as error:
        raise NotFound(
            "This link is not valid: open the whole link of the e-mail, or change your "
            "notifications in the settings of the organization."
        ) from error
