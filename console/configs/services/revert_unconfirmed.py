"""Revert versions that were not confirmed in time, exactly once."""

from __future__ import annotations

from datetime import timedelta

import structlog
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from console.configs.models import ConfigVersion, RevertTimer
from console.configs.queries import past_specs
from console.configs.services.activate_version import activate_version
from console.configs.services.confirm_config import lock_active
from console.configs.services.roll_back import version_of_old
from console.dialects import dialects
from console.dialects.base import Reading
from console.orgs.models import Role
from console.orgs.permissions import Actor
from console.policies.queries import get_version
from console.webhooks.models import Kind
from console.webhooks.outbox import notify_of_config
from console.workloads.models import Event, EventType, Level

#: Delay before the next attempt, after an error that is a fault of the product.
_AGAIN = timedelta(minutes=1)

log = structlog.get_logger("console.configs")


def revert_unconfirmed() -> int:
    """
    Revert the versions of all due timers, and return the number of restored versions.

    Concurrent runs, confirmations and applies are safe: the transaction that deletes the row of
    the timer, under the lock of the active version, wins.
    """
    due = RevertTimer.objects.filter(due_at__lte=timezone.now(), failed_at=None)
    made = 0
    for timer in due.select_related("org").order_by("due_at"):
        try:
            made += _fire(timer)
        except Exception:
            # The timer fires again later, and does not block other timers until then.
            _unfailed(timer).update(due_at=timezone.now() + _AGAIN)
            raise
    return made


def _fire(timer: RevertTimer) -> bool:
    old = get_version(timer.org, timer.back_to)
    reading = _read(old)
    if reading is None or not reading.ok:
        _mark_failed(timer)
        return False
    version = version_of_old(
        timer.author,
        old,
        message=f"Version {timer.version} was not confirmed in time",
        via=ConfigVersion.Via.TIMER,
    )
    actor = Actor(org=timer.org, role=Role.OWNER, name=timer.author, key="timer")
    with transaction.atomic():
        if not lock_active(timer.org, timer.version) or not _unfailed(timer).delete()[0]:
            # The version was confirmed, or another version was applied first.
            return False
        activate_version(actor, version, reading, timer.version)
    log.info("config reverted", org=timer.org.slug, version=version.number, back_to=old.number)
    return True


def _read(old: ConfigVersion) -> Reading | None:
    """Return the reading of *old* under the current checks; None if its dialect is unknown."""
    dialect = dialects().get(old.dialect)
    return dialect.read(old.text, past_specs(old.org)) if dialect else None


def _mark_failed(timer: RevertTimer) -> None:
    """Keep the timer, so that pages show it, mark it as failed, and record the failure once."""
    with transaction.atomic():
        is_mine = lock_active(timer.org, timer.version)
        if not is_mine or not _unfailed(timer).update(failed_at=timezone.now()):
            return
        data: dict[str, object] = {
            "version": timer.version,
            "from": timer.version,
            "back_to": timer.back_to,
            "kind": "revert_failed",
        }
        Event.objects.create(
            org=timer.org,
            type=EventType.CONFIG_UPDATED,
            level=Level.ERROR,
            actor=timer.author,
            data=data,
        )
        notify_of_config(timer.org, Kind.REVERT_FAILED, data, timer.author)
    log.error("config not reverted", org=timer.org.slug, back_to=timer.back_to)


def _unfailed(timer: RevertTimer) -> QuerySet[RevertTimer]:
    return RevertTimer.objects.filter(org=timer.org, version=timer.version, failed_at=None)
