"""Move a rule: apply the active config with one of its rules at another position."""

from __future__ import annotations

from collections.abc import Collection

from console.configs.models import ConfigVersion
from console.configs.services.apply_config import apply_config
from console.configs.services.propose_move import MoveProposal, propose_move
from console.orgs.permissions import Actor, Permission


def move_rule(
    actor: Actor,
    rule: int,
    to: int,
    message: str,
    expected_version: int,
    *,
    accept: Collection[str] | None = None,
    via: ConfigVersion.Via = ConfigVersion.Via.API,
) -> tuple[ConfigVersion, MoveProposal]:
    """
    Create the version after *expected_version* with the rule at index *rule* at index *to*.

    Returns the version and what it was made from. *accept* and the case without a change are those
    of `apply_config`. Raises the errors of `propose_move` and of `apply_config`; then nothing was
    applied.
    """
    actor.require(Permission.APPLY)
    proposal = propose_move(actor, rule, to, expected_version)
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
