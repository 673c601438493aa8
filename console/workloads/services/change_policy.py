"""Write the request that changes the policy of an organization's engine."""

from __future__ import annotations

from console.engine.model.policy import Policy
from console.orgs.permissions import Actor
from console.workloads.models import Intake
from console.workloads.services.move_holds import move_holds, resume_moved
from console.workloads.services.write_intake import write_intake


def change_policy(actor: Actor, version: int, old: Policy, new: Policy) -> None:
    """
    Request that the engine replaces *old* by *new*, the policy of config *version*.

    Queues of *new* that replace held ones are held first. Call this in the transaction that makes
    *version* the active one.
    """
    moved = move_holds(actor, old, new)
    payload = {"version": version, "actor": actor.name}
    write_intake(actor.org.pk, Intake.Kind.POLICY, payload)
    resume_moved(actor, moved)
