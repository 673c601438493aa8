"""Revoke an API token by its secret."""

from __future__ import annotations

from django.utils import timezone

from console.orgs.models import ApiToken
from console.orgs.services.issue_token import digest_of


def revoke_token(secret: str) -> None:
    """Make the token stop working for good; an unknown or revoked one stays as it is."""
    ApiToken.objects.filter(digest=digest_of(secret), revoked_at=None).update(
        revoked_at=timezone.now()
    )
