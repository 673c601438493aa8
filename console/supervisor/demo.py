"""The demo organization: an example config, and traffic for it."""

from __future__ import annotations

from console.configs.services.apply_config import apply_config
from console.dialects import dialects
from console.orgs.models import Organization, Role, User
from console.orgs.permissions import Actor
from console.orgs.services.create_org import create_org

SLUG = "demo"
_DIALECT, _SAMPLE = "native", "Share research GPUs by priority"


def create(owner: User) -> None:
    """Create the demo organization with version 1 of its config."""
    actor = Actor.from_user(create_org(SLUG, "Demo", owner), owner, Role.OWNER)
    text = dialects()[_DIALECT].samples()[_SAMPLE]
    apply_config(actor, _DIALECT, text, _SAMPLE, expected_version=0)


def exists() -> bool:
    """Return whether this database has the demo organization."""
    return Organization.objects.filter(slug=SLUG).exists()
