"""Recognize an API token by its secret."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import Q
from django.utils import timezone

from console.caller import present_caller
from console.orgs.models import ApiToken
from console.orgs.token_secrets import PREFIX, digest_of

#: A token's last use is kept this exactly, so that traffic does not become writes.
_LAST_USED_EVERY = timedelta(minutes=1)


def authenticate_token(secret: str) -> ApiToken | None:
    """Return the token with its organization; None when unknown, revoked or expired."""
    if not secret.startswith(PREFIX):
        return None
    now = timezone.now()
    token = (
        ApiToken.objects.select_related("org")
        .filter(Q(expires_at=None) | Q(expires_at__gt=now))
        .filter(digest=digest_of(secret), revoked_at=None)
        .first()
    )
    if token is not None and _is_due(token, now - _LAST_USED_EVERY):
        caller = present_caller()
        ApiToken.objects.filter(pk=token.pk).update(
            last_used_at=now, last_used_ip=caller.ip, last_used_agent=caller.agent
        )
    return token


def _is_due(token: ApiToken, since: datetime) -> bool:
    return token.last_used_at is None or token.last_used_at < since
