"""Roll back: the text of an old version becomes a new version."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta

from console.configs.errors import ConfigRejected
from console.configs.models import ConfigVersion
from console.configs.queries import approval_of
from console.configs.services.activate_version import (
    activate_version,
    find_unchanged,
    read_message,
    require_active,
)
from console.configs.services.check_config import check_config
from console.configs.services.consequences import accept_consequences
from console.configs.services.set_timer import read_revert_after
from console.errors import BadRequest, Conflict, FieldError
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
    Create and activate a new version with the text of *version*.

    The text is checked again. As in `apply_config`, an active version with the same text is
    returned unchanged, and *accept* and *revert_after* have the same meaning;
    *unless_confirmed* is passed to `activate_version`. Where changes need approval, a rollback
    without one needs a *message* as its reason, so that an owner can act alone in an emergency;
    events and audit entries then have no approver. Raises NotAllowed, NotFound, BadRequest,
    StaleVersion, Conflict if *version* is active, ConfigRejected if the text has errors under the
    current checks, and ConsequencesNotAccepted.
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
    # A revert always creates a version, even with an unchanged text, because that ends the timer.
    if not unless_confirmed:
        same = find_unchanged(actor.org, expected_version, old.dialect, old.text)
        if same is not None:
            return same
    approval = None
    if actor.org.approval_required:
        approval = approval_of(actor.org, old.dialect, old.text, expected_version)
    if actor.org.approval_required and approval is None and not message:
        reason = "A rollback without approval needs a reason; state it in the message."
        raise BadRequest([FieldError("message", "reason_required", reason)])
    new = version_of_old(
        actor.name,
        old,
        message=message or f"Roll back to version {version}",
        via=via,
    )
    new.consequences = accept_consequences(actor, old.dialect, old.text, accept)
    return activate_version(
        actor,
        new,
        reading,
        expected_version,
        revert_after,
        unless_confirmed=unless_confirmed,
        approval=approval,
    )


def version_of_old(
    author: str, old: ConfigVersion, *, message: str, via: ConfigVersion.Via
) -> ConfigVersion:
    """Return an unsaved version with the text of *old*."""
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
