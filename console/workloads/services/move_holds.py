"""Move holds: the queue that takes the place of a held one is held in its place."""

from __future__ import annotations

from typing import Any

from console.dialects.objects import find_replacements
from console.engine.model.policy import Policy
from console.orgs.audit import record
from console.orgs.permissions import Actor
from console.workloads.models import EventType, Intake, QueueHold
from console.workloads.services.hold_queue import hold_facts, tell_engine, tell_people


def move_holds(actor: Actor, old: Policy, new: Policy) -> tuple[str, ...]:
    """
    Hold each queue of *new* that takes the place of a held queue of *old*, which is not held then.

    Part of the transaction that applies *new*, and comes before the engine is asked to follow it:
    nothing is admitted from the new queue in between. Returns the names of the old queues, of
    which the engine has to hear once it follows *new* (`resume_moved`). Where several held queues
    have one successor, the hold that was made last stays.
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
        tell_engine(actor, Intake.Kind.HOLD, taker, hold.reason)
        tell_people(actor, EventType.QUEUE_HELD, taker, {**told, "instead_of": name})
        record(
            actor,
            "queue.hold",
            kind="queue",
            subject=taker,
            after={**facts, "instead_of": name},
        )
    return tuple(name for name in held if name in takers)


def resume_moved(actor: Actor, queues: tuple[str, ...]) -> None:
    """Have the engine hear that *queues*, which are gone from the config, are not held."""
    for queue in queues:
        tell_engine(actor, Intake.Kind.RESUME, queue, "")
