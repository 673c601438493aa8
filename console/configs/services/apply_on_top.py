"""
Apply for clients that send no expected version: on top of the active version.

The event records the previous version, and that the client's protocol was used. If another client
applies a version in between, the call is repeated on top of it.
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

#: Maximum number of attempts while other clients apply concurrently.
_ATTEMPTS = 10


def apply_on_top(actor: Actor, dialect: str, text: str) -> ConfigVersion:
    """
    Create a version from *text* on top of the active one.

    Raises NotAllowed, BadRequest, ConfigRejected, and Conflict after too many attempts.
    """
    via = ConfigVersion.Via.CLIENT
    return _on_top(
        actor.org, lambda active: apply_config(actor, dialect, text, "", active, via=via)
    )


def roll_back_on_top(actor: Actor, version: int) -> ConfigVersion:
    """
    Create a version from the text of *version* on top of the active one.

    Raises NotAllowed, NotFound, ConfigRejected, and Conflict if *version* is already active or
    after too many attempts.
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
