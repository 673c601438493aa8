"""Apply a config: a text without errors becomes the active version."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta

from console.configs.errors import ConfigRejected
from console.configs.models import ConfigVersion, ScheduledChange
from console.configs.services.activate_version import (
    activate_version,
    find_unchanged,
    read_message,
    require_active,
)
from console.configs.services.check_config import check_config
from console.configs.services.consequences import accept_consequences
from console.configs.services.require_approval import require_approval
from console.configs.services.set_timer import read_revert_after
from console.orgs.permissions import Actor, Permission


def apply_config(
    actor: Actor,
    dialect: str,
    text: str,
    message: str,
    expected_version: int,
    *,
    accept: Collection[str] | None = None,
    revert_after: timedelta | None = None,
    via: ConfigVersion.Via = ConfigVersion.Via.API,
    end: ScheduledChange | None = None,
) -> ConfigVersion:
    """
    Create the version after *expected_version* from *text*; 0 means that no version exists.

    Returns the new version, or version *expected_version* without a change if it already has
    this text. With *accept*, its codes have to include every consequence. With *revert_after*,
    the previous version is restored unless this one is confirmed in time; *end* is that of
    `activate_version`. Raises NotAllowed, BadRequest, StaleVersion if another version is
    active, ConfigRejected if the text has errors, ApprovalRequired, and
    ConsequencesNotAccepted.
    """
    actor.require(Permission.APPLY)
    message = read_message(message)
    revert_after = read_revert_after(revert_after, expected_version)
    require_active(actor.org, expected_version)
    reading = check_config(actor, dialect, text)
    if not reading.ok:
        raise ConfigRejected(reading)
    if same := find_unchanged(actor.org, expected_version, dialect, text):
        return same
    approval = require_approval(actor, dialect, text, expected_version)
    version = ConfigVersion(
        org=actor.org,
        dialect=dialect,
        text=text,
        message=message,
        author=actor.name,
        via=via,
        consequences=accept_consequences(actor, dialect, text, accept),
    )
    return activate_version(
        actor, version, reading, expected_version, revert_after, approval=approval, end=end
    )
