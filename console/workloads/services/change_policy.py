"""Hand a new policy to an organization's engine."""

from __future__ import annotations

from console.engine.model.policy import Policy
from console.orgs.permissions import Actor
from console.workloads.models import Intake
from console.workloads.services.ask_engine import ask_engine
from console.workloads.services.move_holds import move_holds, resume_moved


def change_policy(actor: Actor, version: int, old: Policy, new: Policy) -> None:
    """
    Have the engine replace *old* by *new*, which config *version* compiles to.

    Queues of *new* that take the place of held ones are held first. Call it inside the transaction
    that makes *version* the active one.
    """
    moved = move_holds(actor, old, new)
    payload = {"version": version, "actor": actor.name}
    ask_engine(actor.org.pk, Intake.Kind.POLICY, payload)
    resume_moved(actor, moved)
