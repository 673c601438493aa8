"""Issue an API token: the secret is told once and never stored."""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime

from django.db import transaction

from console.errors import BadRequest, FieldError
from console.orgs.audit import record
from console.orgs.models import ApiToken, Organization, Role, User
from console.orgs.permissions import Actor

#: Makes a leaked secret recognizable to scanners. The public anyscale client refuses, before it
#: sends anything, a token that does not begin with an a and have an underscore.
PREFIX = "aslu_"

#: Characters of the secret that lists may show.
_SHOWN = 8

_LONGEST_NAME = 100


def issue_token(
    org: Organization,
    role: str,
    name: str,
    created_by: User | None = None,
    expires_at: datetime | None = None,
) -> str:
    """
    Return the secret of a fresh token that acts in *org* with *role*.

    Raise BadRequest for an unknown role, or a name that is empty or over 100 characters.
    """
    errors = []
    if role not in Role.values:
        message = f"There is no role {role!r}; choose one of {', '.join(Role.values)}."
        errors.append(FieldError("role", "unknown_role", message))
    if not 1 <= len(name) <= _LONGEST_NAME:
        message = f"A token's name has 1 to {_LONGEST_NAME} characters."
        errors.append(FieldError("name", "invalid_name", message))
    if errors:
        raise BadRequest(errors, " ".join(error.message for error in errors))
    secret = PREFIX + secrets.token_urlsafe(32)
    with transaction.atomic():
        token = ApiToken.objects.create(
            org=org,
            name=name,
            role=role,
            prefix=secret[: len(PREFIX) + _SHOWN],
            digest=digest_of(secret),
            created_by=created_by,
            expires_at=expires_at,
        )
        record(
            Actor.from_user(org, created_by, Role.OWNER) if created_by else Actor.from_command(org),
            "token.issue",
            kind="token",
            subject=str(token.pk),
            after={
                "name": name,
                "role": role,
                "prefix": token.prefix,
                "expires_at": expires_at.isoformat() if expires_at else None,
            },
        )
    return secret


def digest_of(secret: str) -> str:
    """
    Return what is stored of *secret*.

    A plain hash is enough: the secret is 256 random bits, so there is nothing to guess.
    """
    return hashlib.sha256(secret.encode()).hexdigest()
