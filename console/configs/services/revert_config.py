"""Revert an apply before its timer does."""

from __future__ import annotations

from console.configs.models import ConfigVersion
from console.configs.queries import revert_timer_of
from console.configs.services.confirm_config import nothing_to_confirm
from console.configs.services.roll_back import roll_back
from console.orgs.permissions import Actor, Permission


def revert_config(actor: Actor, version: int, via: ConfigVersion.Via) -> ConfigVersion:
    """
    Bring back what was active before *version*, which waits to be confirmed.

    Of this and a confirmation at the same moment one wins. Raises NotAllowed, Conflict
    (``nothing_to_confirm``) when no timer waits for *version* any more, StaleVersion, and
    ConfigRejected when the older text has errors today.
    """
    actor.require(Permission.APPLY)
    timer = revert_timer_of(actor.org)
    if timer is None or timer.version != version:
        raise nothing_to_confirm(version)
    message = f"Version {version} was taken back before it was confirmed"
    return roll_back(actor, timer.back_to, version, message, via=via, unless_confirmed=True)
