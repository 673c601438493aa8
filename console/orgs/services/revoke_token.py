"""Revoke API tokens: they stop working at once and for good."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction
from django.utils import timezone

from console.orgs.audit import record
from console.orgs.models import ApiToken, User
from console.orgs.permissions import Actor, Permission
from console.orgs.token_secrets import digest_of
from console.orgs.tokens import get_token


def revoke_token(actor: Actor, number: int) -> ApiToken:
    """Revoke token *number*, or leave it as it is if it was; raises NotAllowed, NotFound."""
    actor.require(Permission.MANAGE_ORG)
    with transaction.atomic():
        _revoke(actor, [get_token(actor.org, number)])
    return get_token(actor.org, number)


def revoke_tokens_of(actor: Actor, user: User) -> None:
    """Revoke every token of the actor's organization that *user* made; raises NotAllowed."""
    actor.require(Permission.MANAGE_ORG)
    with transaction.atomic():
        _revoke(actor, ApiToken.objects.filter(org=actor.org, created_by=user, revoked_at=None))


def revoke_secret(secret: str) -> None:
    """Revoke a token by its secret; an unknown or revoked one stays as it is."""
    token = ApiToken.objects.select_related("org").filter(digest=digest_of(secret)).first()
    if token is not None:
        with transaction.atomic():
            _revoke(Actor.from_command(token.org), [token])


def _revoke(actor: Actor, tokens: Iterable[ApiToken]) -> None:
    now = timezone.now()
    for token in tokens:
        if ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=now):
            record(
                actor,
                "token.revoke",
                kind="token",
                subject=str(token.pk),
                before={"name": token.name, "role": token.role},
            )
