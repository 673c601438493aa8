"""Change numbers: apply the active config with other numbers of one object."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from console.configs.models import ConfigVersion
from console.configs.services.apply_config import apply_config
from console.configs.services.propose_numbers import (
    NumberChange,
    NumberProposal,
    propose_numbers,
)
from console.dialects.editable_numbers import ObjectKey
from console.orgs.permissions import Actor, Permission


def change_numbers(
    actor: Actor,
    owner: ObjectKey,
    changes: Sequence[NumberChange],
    message: str,
    expected_version: int,
    *,
    accept: Collection[str] | None = None,
    via: ConfigVersion.Via = ConfigVersion.Via.API,
) -> tuple[ConfigVersion, NumberProposal]:
    """
    Create the version after *expected_version* with *changes* of the numbers of *owner*.

    Returns the version and what it was made from. *accept* and the case without a change are those
    of `apply_config`. Raises the errors of `propose_numbers` and of `apply_config`; then nothing
    was applied.
    """
    actor.require(Permission.APPLY)
    proposal = propose_numbers(actor, owner, changes, expected_version)
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
