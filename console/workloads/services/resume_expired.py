"""Resume queues whose holds have expired, each exactly once, also with concurrent runs."""

from __future__ import annotations

from datetime import datetime
from typing import Final

import structlog
from django.db import transaction
from django.utils import timezone

from console.orgs.audit import record
from console.orgs.models import Role
from console.orgs.permissions import Actor
from console.workloads.models import EventType, Intake, QueueHold
from console.workloads.services.hold_queue import hold_facts, request_hold_change, write_hold_event

#: Maximum number of holds that one run ends, the longest due first; the next run is in two seconds.
MOST: Final = 200

log = structlog.get_logger("console.workloads")


def resume_expired(now: datetime | None = None) -> int:
    """
    Resume every queue whose hold has ended at *now*, and return their number.

    Concurrent runs and changes of the hold are safe: the transaction that deletes the unchanged
    row wins.
    """
    now = now or timezone.now()
    due = QueueHold.objects.filter(until__lte=now).select_related("org").order_by("until", "pk")
    return sum(_resume(hold, now) for hold in list(due[:MOST]))


def _resume(hold: QueueHold, now: datetime) -> bool:
    actor = Actor(org=hold.org, role=Role.OPERATOR, name=hold.actor, key="timer")
    with transaction.atomic():
        # A hold that was extended in between is not due any more.
        if not QueueHold.objects.filter(pk=hold.pk, until__lte=now).delete()[0]:
            return False
        facts = hold_facts(hold)
        request_hold_change(actor, Intake.Kind.RESUME, hold.queue, "")
        write_hold_event(actor, EventType.QUEUE_RESUMED, hold.queue, {"until": facts["until"]})
        record(actor, "queue.resume", kind="queue", subject=hold.queue, before=facts)
    log.info("hold ended", org=hold.org.slug, queue=hold.queue)
    return True
