"""Users, tokens, invitations, drafts, expectations and views of a large organization."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.utils import timezone

from console.configs.models import ConfigVersion, Draft, Expectation
from console.orgs.models import ApiToken, Invitation, Membership, Role, User
from console.orgs.permissions import Actor
from console.workloads.models import SavedView

PEOPLE: Final = 300
TOKENS: Final = 200
INVITATIONS: Final = 120
DRAFTS: Final = 60
EXPECTATIONS: Final = 150
VIEWS: Final = 15


def add_users_and_objects(owner: Actor) -> None:
    """Add the objects of a large organization to that of *owner*; the users cannot sign in."""
    org, now, roles = owner.org, timezone.now(), Role.values
    users = User.objects.bulk_create(
        User(email=f"person-{n:03}@{org.slug}.example", password="!") for n in range(PEOPLE)
    )
    Membership.objects.bulk_create(
        Membership(org=org, user=user, role=roles[n % 4]) for n, user in enumerate(users)
    )
    ApiToken.objects.bulk_create(
        ApiToken(
            org=org,
            name=f"robot {n}",
            role=roles[n % 5],
            prefix=f"aslu_{n:06}",
            digest=f"{n:064}",
            created_by=owner.user,
            author=owner.name,
            revoked_at=now if n % 7 == 0 else None,
        )
        for n in range(TOKENS)
    )
    Invitation.objects.bulk_create(
        Invitation(
            org=org,
            email=f"guest-{n:03}@{org.slug}.example",
            role=roles[n % 5],
            digest=f"{n:064}",
            author=owner.name,
            expires_at=now + timedelta(days=1 + n % 7),
        )
        for n in range(INVITATIONS)
    )
    active = ConfigVersion.objects.filter(org=org).latest("number")
    Draft.objects.bulk_create(
        Draft(
            org=org,
            author=user,
            title=f"Idea of {user.email}",
            dialect=active.dialect,
            text=active.text,
            base=active.number - n % 3,
            revision=1,
        )
        for n, user in enumerate(users[:DRAFTS])
    )
    Expectation.objects.bulk_create(
        Expectation(
            org=org,
            name=f"Team {n} lands in its queue",
            labels={"team": f"team-{n}", "market-type": "SPOT"},
            requests={"gpu": 2000},
            queue=f"team-{n}",
            author=owner.name,
        )
        for n in range(EXPECTATIONS)
    )
    SavedView.objects.bulk_create(
        SavedView(
            org=org,
            name=f"Team {n}",
            owner=owner.key,
            author=owner.name,
            is_shared=n % 2 == 0,
            query=f"queue=team-{n}",
        )
        for n in range(VIEWS)
    )
