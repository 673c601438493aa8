"""The empty world: a newly created organization."""

from __future__ import annotations

from console.orgs.services.create_org import create_org
from tests.worlds.cast import assemble
from tests.worlds.world import World


def build() -> World:
    """Return an organization with only its owner and one API token of the owner role."""
    cast = assemble(create_org("empty", "Empty", None), ["owner"])
    return World(
        name="empty",
        org="empty",
        people=cast.people,
        secrets=cast.secrets,
        other_org=cast.other_org,
        outsider=cast.outsider,
        outsider_secret=cast.outsider_secret,
    )
