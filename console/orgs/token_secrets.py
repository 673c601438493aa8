"""Secrets of API tokens: generation and digests."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass, field
from datetime import datetime

from console.orgs.identities import NO_IDENTITY, Identity
from console.orgs.models import ApiToken
from console.orgs.permissions import Actor
from console.orgs.tokens import person_behind

#: Prefix by which scanners recognize a leaked secret. The public anyscale client accepts only
#: tokens that begin with an a and contain an underscore.
PREFIX = "aslu_"

#: Characters of the secret that lists may show.
_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Issued:
    """A new token and its secret, which is not stored."""

    token: ApiToken
    secret: str = field(repr=False)


def new_token(
    actor: Actor,
    role: str,
    name: str,
    expires_at: datetime | None,
    identity: Identity = NO_IDENTITY,
) -> Issued:
    """Create a token for *actor* that submits as *identity*, and return it with its secret."""
    secret = PREFIX + secrets.token_urlsafe(32)
    token = ApiToken.objects.create(
        org=actor.org,
        name=name,
        role=role,
        user_name=identity.user,
        groups=list(identity.groups),
        prefix=secret[: len(PREFIX) + _SHOWN],
        digest=digest_of(secret),
        created_by=person_behind(actor),
        author=actor.name,
        expires_at=expires_at,
    )
    return Issued(token, secret)


def digest_of(secret: str) -> str:
    """
    Return the digest of *secret*, which is stored.

    A plain hash is sufficient, because the secret has 256 random bits and cannot be guessed.
    """
    return hashlib.sha256(secret.encode()).hexdigest()
