"""Signal receivers: create the engine row of each new organization."""

from __future__ import annotations

from typing import Any

from django.dispatch import receiver

from console.orgs.models import Organization
from console.orgs.signals import org_created
from console.workloads.models import Engine


@receiver(org_created)
def create_engine(org: Organization, **_: Any) -> None:
    """Create the engine row of a new organization."""
    Engine.objects.create(org=org)
