"""Move a scheduled change to another time, or cancel it."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from console.configs.models import ScheduledChange
from console.configs.queries import get_scheduled
from console.configs.schedule_limits import read_due
from console.configs.services.carry_out_changes import change_ended, require_scheduled
from console.configs.services.confirm_config import mark_changed
from console.configs.temporary_changes import check_order
from console.orgs.audit import record
from console.orgs.permissions import Actor, Permission
from console.orgs.queries import lock_org


def reschedule_change(actor: Actor, number: int, due_at: datetime) -> ScheduledChange:
    """
    Carry out scheduled change *number* at *due_at* instead.

    Raises NotAllowed, NotFound, BadRequest for a time that is not within a year from now or breaks
    the order of temporary changes, and Conflict: ``change_ended``, ``change_proposed``.
    """
    actor.require(Permission.APPLY)
    due_at = read_due(due_at, "due_at")
    with transaction.atomic():
        lock_org(actor.org)
        change = get_scheduled(actor.org, number)
        require_scheduled(change)
        before, change.due_at = change.due_at, due_at
        if change.kind == ScheduledChange.Kind.END:
            check_order(change)
        rows = ScheduledChange.objects.filter(
            pk=change.pk, state=ScheduledChange.State.SCHEDULED, due_at=before
        )
        if not rows.update(due_at=due_at, try_at=due_at):
            raise change_ended(change)
        record(
            actor,
            "schedule.move",
            kind="schedule",
            subject=str(number),
            before={"due_at": before.isoformat()},
            after={"due_at": due_at.isoformat()},
        )
        mark_changed(actor.org)
    return get_scheduled(actor.org, number)


def cancel_change(actor: Actor, number: int) -> ScheduledChange:
    """
    Cancel scheduled change *number*; the numbers of a temporary change then stay as they are.

    Raises NotAllowed, NotFound, and Conflict: ``change_ended``, ``change_proposed``.
    """
    actor.require(Permission.APPLY)
    with transaction.atomic():
        lock_org(actor.org)
        change = get_scheduled(actor.org, number)
        require_scheduled(change)
        rows = ScheduledChange.objects.filter(pk=change.pk, state=ScheduledChange.State.SCHEDULED)
        canceled = rows.update(
            state=ScheduledChange.State.CANCELED, ended_at=timezone.now(), ended_by=actor.name
        )
        if not canceled:
            raise change_ended(change)
        record(
            actor,
            "schedule.cancel",
            kind="schedule",
            subject=str(number),
            before={"due_at": change.due_at.isoformat(), "state": change.state},
            after={"state": ScheduledChange.State.CANCELED.value},
        )
        mark_changed(actor.org)
    return get_scheduled(actor.org, number)
