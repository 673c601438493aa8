"""Apply a config: a text without errors becomes the active version."""

from __future__ import annotations

from console.configs.models import ConfigVersion
from console.configs.services.activate_version import (
    activate_version,
    read_message,
    require_active,
)
from console.configs.services.check_config import check_config
from console.errors import ConfigRejected
from console.orgs.permissions import Actor, Permission


def apply_config(
    actor: Actor, dialect: str, text: str, message: str, expected_version: int
) -> ConfigVersion:
    """
    Make *text* the version after *expected_version*; 0 stands for none so far.

    Raises NotAllowed, BadRequest, StaleVersion when another version is active,
    and ConfigRejected when the text has errors.
    """
    actor.require(Permission.APPLY)
    message = read_message(message)
    require_active(actor.org, expected_version)
    reading = check_config(actor, dialect, text)
    if not reading.ok:
        raise ConfigRejected(reading)
    version = ConfigVersion(
        org=actor.org, dialect=dialect, text=text, message=message, author=actor.name
    )
    return activate_version(actor, version, reading, expected_version)
