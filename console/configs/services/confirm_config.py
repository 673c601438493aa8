"""Confirm an apply, which ends its revert timer."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from console.configs.models import ActiveConfig, RevertTimer
from console.errors import Conflict
from console.orgs.audit import record
from console.orgs.models import Organization
from console.orgs.permissions import Actor, Permission
from console.workloads.models import Event, EventType


def confirm_config(actor: Actor, version: int) -> None:
    """
    Keep *version*, which was applied for a time.

    Of a confirmation and a timer that fires at the same moment one wins. Raises
    NotAllowed, and Conflict (``nothing_to_confirm``) when no timer waits for *version*.
    """
    actor.require(Permission.APPLY)
    org = actor.org
    with transaction.atomic():
        timers = RevertTimer.objects.filter(org=org, version=version)
        if not lock_active(org, version) or not timers.delete()[0]:
            raise nothing_to_confirm(version)
        Event.objects.create(
            org=org,
            type=EventType.CONFIG_UPDATED,
            actor=actor.name,
            data={"version": version, "from": version, "kind": "confirm"},
        )
        record(actor, "config.confirm", kind="config", subject=str(version))


def lock_active(org: Organization, version: int) -> bool:
    """
    Return whether *version* is active, and lock it until the end of the transaction.

    Every transaction that changes a timer takes this lock first, as an apply does, which prevents
    deadlocks. Pages see the change.
    """
    active = ActiveConfig.objects.filter(org=org, number=version)
    return bool(active.update(changed_at=timezone.now()))


def nothing_to_confirm(version: int) -> Conflict:
    """Return what is wrong when no timer waits for *version*."""
    return Conflict(
        "nothing_to_confirm",
        f"Version {version} does not need confirmation: it was confirmed or rolled back, "
        "or another version took its place.",
    )
