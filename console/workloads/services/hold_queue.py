"""Hold a queue, so that no workload is admitted from it, and resume it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Final

from django.db import transaction
from django.utils import timezone

from console.orgs.audit import record
from console.orgs.permissions import Actor, Permission
from console.reading import Reader
from console.workloads.models import Event, EventType, Intake, QueueHold
from console.workloads.queries import queue_view
from console.workloads.services.write_intake import write_intake

#: Maximum duration of a hold with an end; one without an end has no limit.
LONGEST: Final = timedelta(days=366)


def hold_queue(
    actor: Actor,
    queue: str,
    reason: str,
    until: datetime | None = None,
    *,
    now: datetime | None = None,
) -> QueueHold:
    """
    Hold *queue* until *until*, or until it is resumed; running workloads continue.

    Holding a held queue replaces the reason and the end. Raises NotAllowed, NotFound for an
    unknown queue, and BadRequest without a reason or if *until* is not within a year after *now*.
    """
    actor.require(Permission.HOLD_QUEUES)
    reader = Reader()
    reason = reader.text(reason, "reason", 500, blank=False).strip()
    now = now or timezone.now()
    if until is not None and not now < until <= now + LONGEST:
        reader.refuse(
            "until",
            "out_of_range",
            "A hold has to end later than now and within a year; omit it to hold until the queue "
            "is resumed.",
        )
    reader.finish()
    queue_view(actor.org, queue)
    with transaction.atomic():
        before = QueueHold.objects.select_for_update().filter(org=actor.org, queue=queue).first()
        known = hold_facts(before) if before else None
        hold, _ = QueueHold.objects.update_or_create(
            org=actor.org,
            queue=queue,
            defaults={"reason": reason, "actor": actor.name, "until": until},
        )
        after = hold_facts(hold)
        if known != after:
            # A held queue gets an event too, so that pages show the change.
            request_hold_change(actor, Intake.Kind.HOLD, queue, reason)
            told: dict[str, Any] = {key: after[key] for key in ("reason", "until") if key in after}
            write_hold_event(actor, EventType.QUEUE_HELD, queue, told)
            record(actor, "queue.hold", kind="queue", subject=queue, before=known, after=after)
    return hold


def resume_queue(actor: Actor, queue: str, reason: str = "") -> None:
    """
    Resume *queue*; no effect if it is not held.

    Raises NotAllowed, NotFound for an unknown queue, and BadRequest.
    """
    actor.require(Permission.HOLD_QUEUES)
    reader = Reader()
    reason = reader.text(reason, "reason", 500).strip()
    reader.finish()
    queue_view(actor.org, queue)
    held = QueueHold.objects.filter(org=actor.org, queue=queue)
    with transaction.atomic():
        before = held.select_for_update().first()
        if before is None or not held.delete()[0]:
            return
        request_hold_change(actor, Intake.Kind.RESUME, queue, reason)
        after = {"reason": reason} if reason else None
        write_hold_event(actor, EventType.QUEUE_RESUMED, queue, after or {})
        record(
            actor,
            "queue.resume",
            kind="queue",
            subject=queue,
            before=hold_facts(before),
            after=after,
        )


def hold_facts(hold: QueueHold) -> dict[str, Any]:
    """Return the facts of a hold for the audit log."""
    facts = {"reason": hold.reason, "actor": hold.actor}
    return facts | ({"until": hold.until.isoformat()} if hold.until else {})


def request_hold_change(actor: Actor, kind: Intake.Kind, queue: str, reason: str) -> None:
    """Request a hold or resume from the engine, in the transaction that changes the row."""
    payload = {"queue": queue, "actor": actor.name, "reason": reason}
    write_intake(actor.org.pk, kind, payload)


def write_hold_event(actor: Actor, kind: EventType, queue: str, facts: dict[str, Any]) -> None:
    """Write the event of a hold or resume."""
    Event.objects.create(
        org=actor.org, type=kind, queue=queue, actor=actor.name, data={"queue": queue, **facts}
    )
