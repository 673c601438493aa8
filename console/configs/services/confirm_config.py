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
    Confirm *version*, and delete its revert timer.

    If the timer fires at the same time, either the confirmation or the revert happens. Raises
    NotAllowed, and Conflict (``nothing_to_confirm``) if *version* has no timer.
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

    To prevent deadlocks, every transaction that changes a timer takes this lock first, as an apply
    does. The lock changes `changed_at`, so that pages reload.
    """
    active = ActiveConfig.objects.filter(org=org, number=version)
    return bool(active.update(changed_at=timezone.now()))


def mark_changed(org: Organization) -> None:
    """Make open pages of *org* reload, which show changes that are scheduled for its config."""
    ActiveConfig.objects.filter(org=org).update(changed_at=timezone.now())


def nothing_to_confirm(version: int) -> Conflict:
    """Return the error for a *version* without a revert timer."""
    return Conflict(
        "nothing_to_confirm",
        f"Version {version} does not need confirmation: it was confirmed or rolled back, "
        "or another version took its place.",
    )
