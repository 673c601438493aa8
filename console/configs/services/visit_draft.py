"""Visits of a draft: report that it is open, return its visitors, and leave."""

from __future__ import annotations

from datetime import datetime

from django.utils import timezone

from console.configs.draft_lock import LAPSES_AFTER, Presence, presences
from console.configs.models import Draft, DraftVisit
from console.configs.queries import get_draft
from console.orgs.models import User
from console.orgs.permissions import Actor, Permission


def visit_draft(actor: Actor, number: int) -> Presence:
    """
    Record that the actor has draft *number* open, and return its editor and visitors.

    Has to be called again before `LAPSES_AFTER` has passed. Raises NotAllowed and NotFound.
    """
    actor.require(Permission.READ)
    draft = get_draft(actor.org, number)
    now = timezone.now()
    if actor.user is not None:
        note_visit(draft, actor.user, now)
    (presence,) = presences([draft], now)
    return presence


def leave_draft(actor: Actor, number: int) -> None:
    """
    End the actor's visit of draft *number*, and release its lock; has no effect without a visit.

    Raises NotAllowed and NotFound.
    """
    actor.require(Permission.READ)
    get_draft(actor.org, number)
    if actor.user is None:
        return
    here = Draft.objects.filter(org=actor.org, pk=number)
    here.filter(editor=actor.user).update(editor=None, editing_since=None)
    DraftVisit.objects.filter(draft__in=here, user=actor.user).delete()


def note_visit(draft: Draft, user: User, now: datetime) -> None:
    """Record a visit of *user* at the time *now*; an expired visit starts again."""
    visits = DraftVisit.objects.filter(draft=draft, user=user)
    if not visits.filter(seen_at__gte=now - LAPSES_AFTER).update(seen_at=now):
        DraftVisit.objects.update_or_create(
            draft=draft, user=user, defaults={"since": now, "seen_at": now}
        )
