"""Config versions as sides of a difference."""

from __future__ import annotations

from django.urls import reverse

from console.configs.models import ConfigVersion
from console.pages.presenters.configs.differences import Side
from console.policies.queries import NO_POLICY, policy_of

#: What the first version is compared with.
NOTHING = Side(title="nothing", text="", policy=NO_POLICY)


def version_side(version: ConfigVersion) -> Side:
    """Return *version* with a link to its lines."""
    return Side(
        title=f"version {version.number}",
        text=version.text,
        policy=policy_of(version),
        url=reverse("pages:config-version", args=[version.org.slug, version.number]),
    )
