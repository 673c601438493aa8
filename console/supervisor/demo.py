"""The demo organization: a config worth looking at, and an executor's token for its traffic."""

from __future__ import annotations

from console.configs.services.apply_config import apply_config
from console.orgs.models import Organization, Role, User
from console.orgs.permissions import Actor
from console.orgs.services.create_org import create_org
from console.orgs.services.replace_token import replace_token

SLUG = "demo"
_TOKEN = "demo traffic"  # noqa: S105


def create(owner: User) -> None:
    """Create the demo organization with version 1 of its config."""
    org = create_org(SLUG, "Demo", owner)
    actor = Actor.from_user(org, owner, Role.OWNER)
    apply_config(actor, "native", _config(), "Research GPUs with two flavors", expected_version=0)


def traffic_token() -> str | None:
    """Return a fresh secret for the demo's traffic; None when there is no demo."""
    org = Organization.objects.filter(slug=SLUG).first()
    return replace_token(org, Role.OPERATOR, _TOKEN) if org else None
