"""Schedule an apply: a text becomes the active version at a time."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from django.db import transaction

from console.configs.errors import ConfigRejected
from console.configs.models import Draft, ScheduledChange
from console.configs.queries import coming_changes
from console.configs.schedule_limits import read_due, require_room
from console.configs.services.activate_version import (
    find_unchanged,
    read_message,
    require_active,
)
from console.configs.services.check_config import check_config
from console.configs.services.confirm_config import mark_changed
from console.configs.services.consequences import accept_consequences
from console.configs.services.require_approval import require_approval
from console.errors import Conflict
from console.orgs.audit import record
from console.orgs.models import Organization
from console.orgs.permissions import Actor, Permission
from console.orgs.queries import lock_org


def schedule_apply(
    actor: Actor,
    dialect: str,
    text: str,
    message: str,
    expected_version: int,
    apply_at: datetime,
    *,
    accept: Collection[str] | None = None,
    draft: Draft | None = None,
) -> ScheduledChange:
    """
    Schedule the apply of *text* on version *expected_version* at *apply_at*.

    The text is checked now, and again at its time. *accept* is that of `apply_config`: an apply
    with consequences beyond those is not made. *draft* has this text, and cannot be saved until
    the schedule ends. Raises NotAllowed, BadRequest for a time that is not within a year from now,
    StaleVersion, ConfigRejected, ApprovalRequired, ConsequencesNotAccepted, and Conflict:
    ``unchanged``, ``draft_scheduled``, ``too_many_scheduled``.
    """
    actor.require(Permission.APPLY)
    message = read_message(message)
    apply_at = read_due(apply_at, "apply_at")
    org = actor.org
    require_active(org, expected_version)
    reading = check_config(actor, dialect, text)
    if not reading.ok:
        raise ConfigRejected(reading)
    if find_unchanged(org, expected_version, dialect, text):
        raise Conflict(
            "unchanged", f"The text is identical to the active version {expected_version}."
        )
    require_approval(actor, dialect, text, expected_version)
    accept_consequences(actor, dialect, text, accept)
    with transaction.atomic():
        lock_org(org)
        if draft is not None:
            require_unscheduled(org, draft.pk)
        require_room(org)
        change = ScheduledChange.objects.create(
            org=org,
            kind=ScheduledChange.Kind.APPLY,
            due_at=apply_at,
            try_at=apply_at,
            author=actor.name,
            author_key=actor.key,
            message=message,
            draft=draft,
            dialect=dialect,
            text=text,
            base=expected_version,
            accept=None if accept is None else sorted(accept),
        )
        record(
            actor,
            "schedule.create",
            kind="schedule",
            subject=str(change.pk),
            after={
                "due_at": apply_at.isoformat(),
                "base": expected_version,
                "message": message,
                "draft": draft.pk if draft else None,
            },
        )
        mark_changed(org)
    return change


def require_unscheduled(org: Organization, draft: int) -> None:
    """Raise Conflict (``draft_scheduled``) if the apply of draft *draft* is scheduled."""
    change = coming_changes(org).filter(draft=draft).first()
    if change is not None:
        raise Conflict(
            "draft_scheduled",
            f"This draft is applied at {change.due_at:%Y-%m-%d %H:%M} UTC, so its text cannot "
            f"change. Cancel scheduled change {change.pk} to edit it.",
        )
