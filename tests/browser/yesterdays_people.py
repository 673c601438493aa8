"""Members, tokens and webhook deliveries of the organization of the pictures."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.utils import timezone

from console.orgs.models import ApiToken, Membership, Organization, Role, User
from console.orgs.permissions import Actor
from console.orgs.services.create_user import create_user
from console.orgs.services.issue_token import create_token
from console.webhooks.models import Attempt, Delivery, Kind, Webhook
from tests.browser.yesterday import PASSWORD


def add_people(actor: Actor) -> None:
    """Add a member with each role and some tokens; the email addresses name their tasks."""
    for role in (Role.VIEWER, Role.OPERATOR, Role.EDITOR):
        create_user(f"{role}@example.org", PASSWORD)
        user = User.objects.get(email=f"{role}@example.org")
        Membership.objects.create(org=actor.org, user=user, role=role)
    for name, role, days in (
        ("executor", "operator", 90),
        ("config pipeline", "editor", 30),
        ("dashboards", "viewer", 365),
    ):
        create_token(actor, role, name, timezone.now() + timedelta(days=days))


def add_webhook(actor: Actor) -> None:
    """Add a webhook for rejections, preemptions and applied configs."""
    # Create the row directly: the service would resolve the host name.
    Webhook.objects.create(
        org=actor.org,
        name="on-call",
        url="https://hooks.example.org/sluice",
        kinds=[Kind.REJECTED.value, Kind.PREEMPTED.value, Kind.APPLIED.value],
        created_by=actor.name,
    )


def use_token(org: Organization, now: datetime) -> None:
    """Record the use of a token at *now*, and activity of all members a little before."""
    Membership.objects.filter(org=org).update(last_active_at=now - timedelta(minutes=40))
    ApiToken.objects.filter(org=org, name="executor").update(
        last_used_at=now, last_used_ip="192.0.2.7", last_used_agent="executor/2.1"
    )


def deliver(org: Organization) -> None:
    """Mark pending deliveries as delivered, some at the second attempt; there is no receiver."""
    second = timedelta(seconds=1)
    rows = Delivery.objects.filter(webhook__org=org, state=Delivery.State.WAITING)
    for row in rows.order_by("id"):
        tries = (503, 200) if row.pk % 7 == 5 else (200,)
        row.state = Delivery.State.DELIVERED
        row.attempts_begun = len(tries)
        row.ended_at = row.created_at + second * (1 + 30 * (len(tries) - 1))
        row.save()
        Attempt.objects.bulk_create(
            Attempt(
                delivery=row,
                number=number,
                begun_at=row.created_at + second * 30 * (number - 1),
                ended_at=row.created_at + second * (30 * (number - 1) + 1),
                url="https://hooks.example.org/sluice",
                address="192.0.2.40",
                status=status,
                failure="" if status == 200 else "status",
            )
            for number, status in enumerate(tries, 1)
        )
        Webhook.objects.filter(org=org).update(last_success_at=row.ended_at)


def add_passwords() -> None:
    """Set `PASSWORD` for all users with the hasher of the product, which tests replace."""
    User.objects.update(password=PBKDF2PasswordHasher().encode(PASSWORD, salt="pictures"))
