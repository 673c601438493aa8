"""Revoke API tokens, immediately and permanently."""

from __future__ import annotations

from django.db import transaction

from console.orgs.models import ApiToken
from console.orgs.permissions import Actor, Permission
from console.orgs.services.end_tokens import end_tokens
from console.orgs.token_secrets import digest_of
from console.orgs.tokens import get_token


def revoke_token(actor: Actor, number: int) -> ApiToken:
    """Revoke token *number*; a revoked token does not change. Raises NotAllowed, NotFound."""
    actor.require(Permission.MANAGE_ORG)
    with transaction.atomic():
        end_tokens(actor, [get_token(actor.org, number)])
    return get_token(actor.org, number)


def revoke_secret(secret: str) -> None:
    """Revoke a token by its secret; an unknown or revoked one is ignored."""
    token = ApiToken.objects.select_related("org").filter(digest=digest_of(secret)).first()
    if token is not None:
        with transaction.atomic():
            end_tokens(Actor.from_command(token.org), [token])
