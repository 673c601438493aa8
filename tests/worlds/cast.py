"""Members and API tokens of a world, one for each role, and an owner of another organization."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.utils import timezone

from console.orgs.models import Membership, Organization, User
from console.orgs.permissions import Actor
from console.orgs.services.create_org import create_org
from console.orgs.services.issue_token import issue_token
from tests.worlds.world import PASSWORD


@cache
def hashed_password() -> str:
    """Return the hash of `PASSWORD`, cached because hashing is deliberately slow."""
    return PBKDF2PasswordHasher().encode(PASSWORD, salt="worlds")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cast:
    """The members and tokens of an organization as `World` fields, and its owner as an actor."""

    owner: Actor
    people: dict[str, str]
    secrets: dict[str, str]
    other_org: str
    outsider: str
    outsider_secret: str


def assemble(org: Organization, roles: Iterable[str]) -> Cast:
    """Add a member and a token for each of *roles* (including owner), and an outsider."""
    hashed = hashed_password()
    people, secrets = {}, {}
    for role in roles:
        people[role] = f"{role}@{org.slug}.example"
        user, _ = User.objects.get_or_create(email=people[role], defaults={"password": hashed})
        if role == "owner":
            user.can_create_orgs, user.address_confirmed_at = True, timezone.now()
            user.save(update_fields=["can_create_orgs", "address_confirmed_at"])
        Membership.objects.get_or_create(org=org, user=user, defaults={"role": role})
        secrets[role] = issue_token(org, role, f"{role} token")
    outsider = User.objects.create(email=f"owner@other-{org.slug}.example", password=hashed)
    other = create_org(f"other-{org.slug}", f"Other than {org.name}", outsider)
    owner = User.objects.get(email=people["owner"])
    return Cast(
        owner=Actor.from_user(org, owner, "owner"),
        people=people,
        secrets=secrets,
        other_org=other.slug,
        outsider=outsider.email,
        outsider_secret=issue_token(other, "owner", "outsider token"),
    )
