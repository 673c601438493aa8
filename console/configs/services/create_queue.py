"""Create a queue: apply the active config with a new queue, and what routes workloads to it."""

from __future__ import annotations

from collections.abc import Collection

from console.configs.models import ConfigVersion
from console.configs.services.apply_config import apply_config
from console.configs.services.propose_queue import QueueInput, QueueProposal, propose_queue
from console.orgs.permissions import Actor, Permission


def create_queue(
    actor: Actor,
    queue: QueueInput,
    message: str,
    expected_version: int,
    *,
    accept: Collection[str] | None = None,
    via: ConfigVersion.Via = ConfigVersion.Via.API,
) -> tuple[ConfigVersion, QueueProposal]:
    """
    Create the version after *expected_version* with *queue*.

    *accept* is that of `apply_config`. Raises the errors of `propose_queue` and of `apply_config`;
    then nothing was applied.
    """
    actor.require(Permission.APPLY)
    proposal = propose_queue(actor, queue, expected_version)
    version = apply_config(
        actor,
        proposal.dialect,
        proposal.text,
        message,
        expected_version,
        accept=accept,
        via=via,
    )
    return version, proposal
