"""
Apply for clients that name no expected version: on top of whatever is active.

What they overwrite is told by the event, which has the version before and says who
applied by this way. Two of them at once come one after the other.
"""

from __future__ import annotations

from collections.abc import Callable

from console.configs.errors import StaleVersion
from console.configs.models import ConfigVersion
from console.configs.services.apply_config import apply_config
from console.configs.services.roll_back import roll_back
from console.errors import Conflict
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.policies.queries import active_number

#: Lost races after which somebody else is applying all the time.
_ATTEMPTS = 10


def apply_on_top(actor: Actor, dialect: str, text: str) -> ConfigVersion:
    """
    Make *text* the version after the active one, whichever that is.

    Raises NotAllowed, BadRequest, ConfigRejected, and Conflict after too many lost races.
    """
    via = ConfigVersion.Via.CLIENT
    return _on_top(
        actor.org, lambda active: apply_config(actor, dialect, text, "", active, via=via)
    )


def roll_back_on_top(actor: Actor, version: int) -> ConfigVersion:
    """
    Make the text of *version* the version after the active one, whichever that is.

    Raises NotAllowed, NotFound, ConfigRejected, and Conflict when *version* is active
    already or after too many lost races.
    """
    via = ConfigVersion.Via.CLIENT
    return _on_top(actor.org, lambda active: roll_back(actor, version, active, via=via))


def _on_top(org: Organization, attempt: Callable[[int], ConfigVersion]) -> ConfigVersion:
    for _ in range(_ATTEMPTS):
        try:
            return attempt(active_number(org))
        except StaleVersion:
            continue
    raise Conflict(
        "others_apply",
        "Another config was applied to this organization at the same time; nothing was "
        "applied. Try again.",
    )
