"""Revert an apply that is not confirmed yet, before its timer fires."""

from __future__ import annotations

from collections.abc import Collection

from console.configs.models import ConfigVersion
from console.configs.queries import revert_timer_of
from console.configs.services.confirm_config import nothing_to_confirm
from console.configs.services.roll_back import roll_back
from console.orgs.permissions import Actor, Permission


def revert_config(
    actor: Actor,
    version: int,
    via: ConfigVersion.Via,
    *,
    accept: Collection[str] | None = None,
) -> ConfigVersion:
    """
    Roll back *version*, which waits for confirmation, to the version before it.

    If *version* is confirmed at the same time, either the confirmation or the revert happens.
    *accept* is that of `roll_back`. Raises NotAllowed, Conflict (``nothing_to_confirm``) if
    *version* has no timer any more, StaleVersion, ConfigRejected if the older text has errors under
    the current checks, and ConsequencesNotAccepted.
    """
    actor.require(Permission.APPLY)
    timer = revert_timer_of(actor.org)
    if timer is None or timer.version != version:
        raise nothing_to_confirm(version)
    message = f"Version {version} was rolled back before it was confirmed"
    return roll_back(
        actor, timer.back_to, version, message, accept=accept, via=via, unless_confirmed=True
    )
