"""Roll back: the text of an old version becomes a new version."""

from __future__ import annotations

from console.configs.models import ConfigVersion
from console.configs.queries import get_version
from console.configs.services.activate_version import (
    activate_version,
    read_message,
    require_active,
)
from console.configs.services.check_config import check_config
from console.errors import ConfigRejected, Conflict
from console.orgs.permissions import Actor, Permission


def roll_back(
    actor: Actor, version: int, expected_version: int, message: str = ""
) -> ConfigVersion:
    """
    Make the text of *version* active again, as a new version.

    The text is read under today's rules. Raises NotAllowed, NotFound,
    StaleVersion, Conflict when *version* is active already, and
    ConfigRejected when its text would not be accepted today.
    """
    actor.require(Permission.APPLY)
    message = read_message(message)
    old = get_version(actor.org, version)
    require_active(actor.org, expected_version)
    if version == expected_version:
        raise Conflict("already_active", f"Version {version} is the active one already.")
    reading = check_config(actor, old.dialect, old.text)
    if not reading.ok:
        raise ConfigRejected(reading)
    new = ConfigVersion(
        org=actor.org,
        dialect=old.dialect,
        text=old.text,
        message=message or f"Roll back to version {version}",
        kind=ConfigVersion.Kind.ROLLBACK,
        rolled_back_to=version,
        author=actor.name,
    )
    return activate_version(actor, new, reading, expected_version)
