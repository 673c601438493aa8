"""Rotate an API token: create a successor, and let the old token expire soon."""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from console.errors import Conflict
from console.orgs.audit import record
from console.orgs.identities import identity_of_token
from console.orgs.permissions import Actor, Permission
from console.orgs.services.lock_members import lock_members
from console.orgs.token_secrets import Issued, new_token
from console.orgs.tokens import get_token, is_working


def rotate_token(actor: Actor, number: int, overlap: timedelta) -> Issued:
    """
    Create and return a token with the name, role, user, groups and lifetime of token *number*.

    The old token stays valid for *overlap*, unless it expires earlier. Raises NotAllowed,
    NotFound, and Conflict if it is not valid (``token_ended``) or was rotated before
    (``token_rotated``).
    """
    actor.require(Permission.MANAGE_ORG)
    now = timezone.now()
    with transaction.atomic():
        # The lock serializes rotations, so that a token never has two successors.
        lock_members(actor)
        old = get_token(actor.org, number)
        if not is_working(old):
            raise Conflict("token_ended", f"Token {old.name} is no longer valid; create a new one.")
        if old.successor_id is not None:
            raise Conflict(
                "token_rotated", f"Token {old.name} was already rotated; rotate its replacement."
            )
        expires_at = now + (old.expires_at - old.created_at) if old.expires_at else None
        issued = new_token(actor, old.role, old.name, expires_at, identity_of_token(old))
        old.expires_at = min(filter(None, (old.expires_at, now + overlap)))
        old.successor = issued.token
        old.save(update_fields=["expires_at", "successor"])
        record(
            actor,
            "token.rotate",
            kind="token",
            subject=str(old.pk),
            before={"prefix": old.prefix},
            after={
                "prefix": issued.token.prefix,
                "successor": issued.token.pk,
                "old_ends_at": old.expires_at.isoformat(),
                "expires_at": expires_at.isoformat() if expires_at else None,
            },
        )
    return issued
