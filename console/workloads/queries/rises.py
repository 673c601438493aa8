"""Rises: since when queues use more than they own, and so borrow or are over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from console.orgs.models import Organization
from console.workloads.models import AboveNominal


@dataclass(frozen=True, slots=True)
class Rise:
    """When a queue rose above its nominal quota, and under which config version."""

    since: datetime
    config_version: int


#: (queue, flavor, resource) -> its rise, where it still is above.
Rises: TypeAlias = Mapping[tuple[str, str, str], Rise]


def rises_of(org: Organization, queue: str | None = None) -> Rises:
    """Return since when queues of *org*, or *queue* alone, use more than they own."""
    rows = AboveNominal.objects.filter(org=org)
    if queue is not None:
        rows = rows.filter(queue=queue)
    return {
        (name, flavor, resource): Rise(since, version)
        for name, flavor, resource, since, version in rows.values_list(
            "queue", "flavor", "resource", "since", "config_version"
        )
    }
