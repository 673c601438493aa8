"""Roll back: the text of an old version becomes a new version."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta

from console.configs.errors import ConfigRejected
from console.configs.models import ConfigVersion
from console.configs.services.activate_version import (
    activate_version,
    read_message,
    require_active,
    unchanged,
)
from console.configs.services.check_config import check_config
from console.configs.services.consequences import accept_consequences
from console.configs.services.set_timer import read_revert_after
from console.errors import Conflict
from console.orgs.permissions import Actor, Permission
from console.policies.queries import get_version


def roll_back(
    actor: Actor,
    version: int,
    expected_version: int,
    message: str = "",
    *,
    accept: Collection[str] | None = None,
    revert_after: timedelta | None = None,
    via: ConfigVersion.Via = ConfigVersion.Via.API,
    unless_confirmed: bool = False,
) -> ConfigVersion:
    """
    Make the text of *version* active again, as a new version.

    The text is read under today's rules. As of `apply_config`, the answer is the active version
    itself when it has the same text, and *accept* and *revert_after* mean the same;
    *unless_confirmed* means what it means to `activate_version`. Raises NotAllowed, NotFound,
    BadRequest, StaleVersion, Conflict when *version* is active already, ConfigRejected when its
    text would not be accepted today, and ConsequencesNotAccepted.
    """
    actor.require(Permission.APPLY)
    message = read_message(message)
    revert_after = read_revert_after(revert_after, expected_version)
    old = get_version(actor.org, version)
    require_active(actor.org, expected_version)
    if version == expected_version:
        raise Conflict("already_active", f"Version {version} is the active one already.")
    reading = check_config(actor, old.dialect, old.text)
    if not reading.ok:
        raise ConfigRejected(reading)
    # A timer that waits ends with the version that takes the other one back.
    if not unless_confirmed:
        same = unchanged(actor.org, expected_version, old.dialect, old.text)
        if same is not None:
            return same
    new = version_of_old(
        actor.name,
        old,
        message=message or f"Roll back to version {version}",
        via=via,
    )
    new.consequences = accept_consequences(actor, old.dialect, old.text, accept)
    return activate_version(
        actor, new, reading, expected_version, revert_after, unless_confirmed=unless_confirmed
    )


def version_of_old(
    author: str, old: ConfigVersion, *, message: str, via: ConfigVersion.Via
) -> ConfigVersion:
    """Return a version, not yet saved, that has the text of *old* again."""
    return ConfigVersion(
        org=old.org,
        dialect=old.dialect,
        text=old.text,
        message=message,
        kind=ConfigVersion.Kind.ROLLBACK,
        rolled_back_to=old.number,
        author=author,
        via=via,
    )
