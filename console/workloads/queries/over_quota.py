"""Times since which queues use more than their nominal quota."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from console.orgs.models import Organization
from console.workloads.models import OverQuota


@dataclass(frozen=True, slots=True)
class OverQuotaMark:
    """When a queue exceeded its nominal quota, and the config version at that time."""

    since: datetime
    config_version: int


#: (queue, flavor, resource) -> mark, for queues that still exceed their nominal quota.
OverQuotaSince: TypeAlias = Mapping[tuple[str, str, str], OverQuotaMark]


def over_quota_since_of(org: Organization, queue: str | None = None) -> OverQuotaSince:
    """Return since when queues of *org*, or only *queue*, exceed their nominal quota."""
    rows = OverQuota.objects.filter(org=org)
    if queue is not None:
        rows = rows.filter(queue=queue)
    return {
        (name, flavor, resource): OverQuotaMark(since, version)
        for name, flavor, resource, since, version in rows.values_list(
            "queue", "flavor", "resource", "since", "config_version"
        )
    }
