"""Revoke an API token by its secret."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from console.orgs.audit import record
from console.orgs.models import ApiToken
from console.orgs.permissions import Actor
from console.orgs.services.issue_token import digest_of


def revoke_token(secret: str) -> None:
    """Make the token stop working for good; an unknown or revoked one stays as it is."""
    working = ApiToken.objects.filter(digest=digest_of(secret), revoked_at=None)
    token = working.select_related("org").first()
    with transaction.atomic():
        if token and working.update(revoked_at=timezone.now()):
            record(
                Actor.from_command(token.org),
                "token.revoke",
                kind="token",
                subject=str(token.pk),
                before={"name": token.name, "role": token.role},
            )
