"""Issue a token in place of the older ones of the same name."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from console.orgs.models import ApiToken, Organization
from console.orgs.services.issue_token import issue_token


def replace_token(org: Organization, role: str, name: str) -> str:
    """Return the secret of a fresh token; tokens of *org* with the same name stop working."""
    with transaction.atomic():
        ApiToken.objects.filter(org=org, name=name, revoked_at=None).update(
            revoked_at=timezone.now()
        )
        return issue_token(org, role, name)
