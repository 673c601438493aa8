"""Create API tokens, whose secrets are returned once and not stored."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime

from django.db import transaction

from console.errors import BadRequest, Conflict
from console.orgs.audit import record
from console.orgs.identities import NO_IDENTITY, Identity, read_identity
from console.orgs.models import Organization, Role
from console.orgs.permissions import Actor, Permission
from console.orgs.services.lock_members import lock_members
from console.orgs.token_secrets import Issued, new_token
from console.orgs.tokens import count_valid_tokens
from console.reading import Reader, is_storable

LONGEST_NAME = 100

#: Maximum number of valid tokens of one organization.
MOST_TOKENS = 1000

#: Default and maximum number of days until a token expires.
USUAL_DAYS = 90
MOST_DAYS = 3650


def create_token(
    actor: Actor,
    role: str,
    name: str,
    expires_at: datetime | None = None,
    identity: Identity = NO_IDENTITY,
) -> Issued:
    """
    Create and return a token of the actor's organization with *role*.

    Its workloads have the user and groups of *identity* unless they state others. Raises
    NotAllowed, BadRequest for an unknown role, a name that is empty or longer than 100 characters
    or an invalid *identity*, and Conflict (``too_many_tokens``).
    """
    actor.require(Permission.MANAGE_ORG)
    identity = _checked(role, name, identity)
    with transaction.atomic():
        lock_members(actor)
        if count_valid_tokens(actor.org) >= MOST_TOKENS:
            raise Conflict(
                "too_many_tokens",
                f"{MOST_TOKENS} tokens are active already; revoke unused ones first.",
            )
        issued = new_token(actor, role, name, expires_at, identity)
        token = issued.token
        record(
            actor,
            "token.issue",
            kind="token",
            subject=str(token.pk),
            after={
                "name": name,
                "role": role,
                "prefix": token.prefix,
                "expires_at": expires_at.isoformat() if expires_at else None,
                **(asdict(identity) if identity.user else {}),
            },
        )
    return issued


def issue_token(
    org: Organization,
    role: str,
    name: str,
    *,
    expires_at: datetime | None = None,
    identity: Identity = NO_IDENTITY,
) -> str:
    """Create a token for a command and return its secret; raises BadRequest as `create_token`."""
    return create_token(Actor.from_command(org), role, name, expires_at, identity).secret


def _checked(role: str, name: str, identity: Identity) -> Identity:
    """Return *identity* without repeated groups; raises BadRequest as `create_token`."""
    reader = Reader()
    if role not in Role.values:
        message = f"There is no role {role!r}; choose one of {', '.join(Role.values)}."
        reader.refuse("role", "unknown_role", message)
    if not (name.strip() and len(name) <= LONGEST_NAME and is_storable(name)):
        reader.refuse("name", "invalid_name", f"A token's name has 1 to {LONGEST_NAME} characters.")
    found = read_identity(reader, identity.user, list(identity.groups))
    if reader.errors:
        raise BadRequest(reader.errors, " ".join(error.message for error in reader.errors))
    return found
