"""Move holds of queues to the queues that replace them in a new config."""

from __future__ import annotations

from typing import Any

from console.dialects.objects import find_replacements
from console.engine.model.policy import Policy
from console.orgs.audit import record
from console.orgs.permissions import Actor
from console.workloads.models import EventType, Intake, QueueHold
from console.workloads.services.hold_queue import hold_facts, request_hold_change, write_hold_event


def move_holds(actor: Actor, old: Policy, new: Policy) -> tuple[str, ...]:
    """
    Hold each queue of *new* that replaces a held queue of *old*, and end the hold of the old one.

    Call this in the transaction that applies *new*, before the engine is requested to change the
    policy, so that nothing is admitted from the new queue in between. Returns the names of the old
    queues, which the engine has to resume after the change (`resume_moved`). If several held queues
    have one successor, the last hold stays.
    """
    holds = QueueHold.objects.select_for_update().filter(org=actor.org).order_by("since", "pk")
    held = {hold.queue: hold for hold in holds}
    takers = find_replacements(old, new, held)
    for name, hold in held.items():
        taker = takers.get(name)
        if taker is None:
            continue
        QueueHold.objects.filter(org=actor.org, queue=taker).delete()
        hold.queue = taker
        hold.save(update_fields=["queue"])
        facts = hold_facts(hold)
        told: dict[str, Any] = {key: facts[key] for key in ("reason", "until") if key in facts}
        request_hold_change(actor, Intake.Kind.HOLD, taker, hold.reason)
        write_hold_event(actor, EventType.QUEUE_HELD, taker, {**told, "instead_of": name})
        record(
            actor,
            "queue.hold",
            kind="queue",
            subject=taker,
            after={**facts, "instead_of": name},
        )
    return tuple(name for name in held if name in takers)


def resume_moved(actor: Actor, queues: tuple[str, ...]) -> None:
    """Request that the engine resumes *queues*, which the config no longer has."""
    for queue in queues:
        request_hold_change(actor, Intake.Kind.RESUME, queue, "")
