"""Sides of a difference for config versions."""

from __future__ import annotations

from django.urls import reverse

from console.configs.models import ConfigVersion
from console.pages.presenters.configs.differences import Side
from console.policies.queries import NO_POLICY, policy_of

#: The empty side that the first version is compared with.
NOTHING = Side(title="nothing", text="", policy=NO_POLICY)


def version_side(version: ConfigVersion) -> Side:
    """Return the side of *version*, with a link to its lines."""
    return Side(
        title=f"version {version.number}",
        text=version.text,
        policy=policy_of(version),
        url=reverse("pages:config-version", args=[version.org.slug, version.number]),
    )
