"""The empty world: an organization that its owner has just made."""

from __future__ import annotations

from console.orgs.services.create_org import create_org
from tests.worlds.cast import assemble
from tests.worlds.world import World


def build() -> World:
    """Return an organization with its owner and a token of theirs, and nothing else."""
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
