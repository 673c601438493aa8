"""Change numbers: apply the active config with other numbers of one object, or submit it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from console.configs.models import ConfigVersion, ReviewRequest
from console.configs.services.apply_config import apply_config
from console.configs.services.plan_end import plan_end, propose_end
from console.configs.services.propose_numbers import (
    NumberChange,
    NumberProposal,
    propose_numbers,
)
from console.configs.services.request_review import request_review
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
    until: datetime | None = None,
    via: ConfigVersion.Via = ConfigVersion.Via.API,
) -> tuple[ConfigVersion, NumberProposal]:
    """
    Create the version after *expected_version* with *changes* of the numbers of *owner*.

    Returns the version and what it was made from. With *until*, the numbers get their former values
    at that time. *accept* and the case without a change are those
    of `apply_config`. Raises the errors of `propose_numbers` and of `apply_config`; then nothing
    was applied.
    """
    actor.require(Permission.APPLY)
    proposal = propose_numbers(actor, owner, changes, expected_version)
    end = plan_end(actor, owner, changes, proposal, until) if until else None
    version = apply_config(
        actor,
        proposal.dialect,
        proposal.text,
        message,
        expected_version,
        accept=accept,
        via=via,
        end=end,
    )
    return version, proposal


def submit_numbers(
    actor: Actor,
    owner: ObjectKey,
    changes: Sequence[NumberChange],
    title: str,
    expected_version: int,
    *,
    until: datetime | None = None,
) -> ReviewRequest:
    """
    Submit *changes* of the numbers of *owner* for approval; *until* is that of `change_numbers`.

    The end belongs to the approved change and needs no approval of its own. Raises the errors of
    `propose_numbers` and `request_review`.
    """
    actor.require(Permission.APPLY)
    proposal = propose_numbers(actor, owner, changes, expected_version)
    end = plan_end(actor, owner, changes, proposal, until) if until else None
    review = request_review(actor, proposal.dialect, proposal.text, expected_version, title)
    propose_end(review, end)
    return review
