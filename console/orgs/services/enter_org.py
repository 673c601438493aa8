"""Return a person as actor in an organization, and record their last activity."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from console.orgs.models import Membership, User
from console.orgs.permissions import Actor
from console.orgs.queries import membership_of

#: Accuracy of the last activity of a member, which limits writes.
_ACTIVE_EVERY = timedelta(minutes=5)


def enter_org(user: User, slug: str) -> Actor:
    """Return *user* as actor in the organization *slug*; raises NotFound as `queries.actor_for`."""
    membership = membership_of(user, slug)
    now = timezone.now()
    if membership.last_active_at is None or membership.last_active_at < now - _ACTIVE_EVERY:
        Membership.objects.filter(pk=membership.pk).update(last_active_at=now)
    return Actor.from_user(membership.org, user, membership.role, membership)
