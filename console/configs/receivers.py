"""Signal receivers: create the row `ActiveConfig` of each new organization."""

from __future__ import annotations

from typing import Any

from django.dispatch import receiver

from console.orgs.models import Organization
from console.orgs.signals import org_created
from console.policies.models import ActiveConfig


@receiver(org_created)
def create_active_config(org: Organization, **_: Any) -> None:
    """Create the row, with no active version."""
    ActiveConfig.objects.create(org=org)
