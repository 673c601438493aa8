"""Hold a queue, so that nothing new is admitted from it, and resume it."""

from __future__ import annotations

from django.db import transaction

from console.orgs.audit import record
from console.orgs.permissions import Actor, Permission
from console.reading import Reader
from console.workloads import nudge
from console.workloads.models import Intake, QueueHold
from console.workloads.queries import queue_view


def hold_queue(actor: Actor, queue: str, reason: str) -> QueueHold:
    """
    Hold *queue*; what runs goes on. Holding a held queue replaces the reason.

    Raises NotAllowed, NotFound for an unknown queue, and BadRequest without a reason.
    """
    actor.require(Permission.HOLD_QUEUES)
    reason = _read(reason, blank=False)
    queue_view(actor.org, queue)
    held = QueueHold.objects.filter(org=actor.org, queue=queue)
    with transaction.atomic():
        before = held.values("reason", "actor").first()
        hold, created = QueueHold.objects.update_or_create(
            org=actor.org, queue=queue, defaults={"reason": reason, "actor": actor.name}
        )
        if created:
            _tell_engine(actor, Intake.Kind.HOLD, queue, reason)
        after = {"reason": reason, "actor": actor.name}
        if before != after:
            record(actor, "queue.hold", kind="queue", subject=queue, before=before, after=after)
    return hold


def resume_queue(actor: Actor, queue: str, reason: str = "") -> None:
    """
    Resume *queue*; resuming one that is not held is harmless.

    Raises NotAllowed, NotFound for an unknown queue, and BadRequest.
    """
    actor.require(Permission.HOLD_QUEUES)
    reason = _read(reason, blank=True)
    queue_view(actor.org, queue)
    held = QueueHold.objects.filter(org=actor.org, queue=queue)
    with transaction.atomic():
        before = held.values("reason", "actor").first()
        deleted, _ = held.delete()
        if deleted:
            _tell_engine(actor, Intake.Kind.RESUME, queue, reason)
            after = {"reason": reason} if reason else None
            record(actor, "queue.resume", kind="queue", subject=queue, before=before, after=after)


def _read(reason: str, *, blank: bool) -> str:
    reader = Reader()
    text = reader.text(reason, "reason", 500, blank=blank).strip()
    reader.finish()
    return text


def _tell_engine(actor: Actor, kind: Intake.Kind, queue: str, reason: str) -> None:
    payload = {"queue": queue, "actor": actor.name, "reason": reason}
    Intake.objects.create(org=actor.org, kind=kind, payload=payload)
    nudge.request_admission(actor.org.pk)
