"""Secrets of API tokens: how they are drawn, and what is stored of them."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass, field
from datetime import datetime

from console.orgs.models import ApiToken
from console.orgs.permissions import Actor
from console.orgs.tokens import person_behind

#: Makes a leaked secret recognizable to scanners. The public anyscale client refuses, before it
#: sends anything, a token that does not begin with an a and have an underscore.
PREFIX = "aslu_"

#: Characters of the secret that lists may show.
_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Issued:
    """A fresh token and its secret, which nothing else knows."""

    token: ApiToken
    secret: str = field(repr=False)


def new_token(actor: Actor, role: str, name: str, expires_at: datetime | None) -> Issued:
    """Write the row of a token that *actor* makes, and return it with its secret."""
    secret = PREFIX + secrets.token_urlsafe(32)
    token = ApiToken.objects.create(
        org=actor.org,
        name=name,
        role=role,
        prefix=secret[: len(PREFIX) + _SHOWN],
        digest=digest_of(secret),
        created_by=person_behind(actor),
        author=actor.name,
        expires_at=expires_at,
    )
    return Issued(token, secret)


def digest_of(secret: str) -> str:
    """
    Return what is stored of *secret*.

    A plain hash is enough: the secret is 256 random bits, so there is nothing to guess.
    """
    return hashlib.sha256(secret.encode()).hexdigest()
