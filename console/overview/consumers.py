"""
Top consumers of a resource: workloads, projects and users.

Consumption is the quota of a running workload multiplied by its run time, such as GPU-hours. A
worker measures it every few minutes, for a limited number of workloads, the oldest first.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from console.engine.wording.words import is_gpu
from console.orgs.models import Organization
from console.overview.models import Consumption

#: Number of stored rows of each kind.
MOST_ROWS: Final = 10

#: Maximum number of stored resources, those used by the most workloads.
MOST_RESOURCES: Final = 20

#: Kinds of consumers.
KINDS: Final = ("workload", "project", "user")


@dataclass(frozen=True, slots=True, kw_only=True)
class Consumer:
    """A workload, project or user, and its consumption of one resource."""

    #: Its name; empty for workloads without a project or user.
    name: str
    #: For a workload, its id and its queue, if it has one.
    uid: str = ""
    queue: str = ""
    #: Number of its running workloads.
    workloads: int
    #: Used quota in thousandths.
    held: int
    #: Thousandths of the resource times hours.
    hours: int
    #: When the oldest of its workloads was admitted.
    since: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Consumers:
    """Top consumers of *resource*, the largest first."""

    resource: str
    #: All available resources.
    resources: tuple[str, ...]
    workloads: tuple[Consumer, ...]
    projects: tuple[Consumer, ...]
    users: tuple[Consumer, ...]
    looked_through: int
    is_whole: bool
    measured_at: datetime


def top_consumers(org: Organization, resource: str | None) -> Consumers | None:
    """
    Return the top consumers of *resource*, or of the default resource.

    None before the first measurement, and if no workload is running.
    """
    row = Consumption.objects.filter(org=org).first()
    if row is None or not row.resources:
        return None
    resources = tuple(row.resources)
    usual = next(filter(is_gpu, resources), resources[0])
    chosen = resource if resource is not None and resource in resources else usual
    kept = row.resources[chosen]
    return Consumers(
        resource=chosen,
        resources=resources,
        workloads=tuple(map(_consumer, kept["workload"])),
        projects=tuple(map(_consumer, kept["project"])),
        users=tuple(map(_consumer, kept["user"])),
        looked_through=row.looked_through,
        is_whole=row.is_whole,
        measured_at=row.measured_at,
    )


def encode(consumer: Consumer) -> dict[str, Any]:
    """Return *consumer* as it is stored."""
    return {
        "name": consumer.name,
        "uid": consumer.uid,
        "queue": consumer.queue,
        "workloads": consumer.workloads,
        "held": consumer.held,
        "hours": consumer.hours,
        "since": consumer.since.isoformat(),
    }


def _consumer(stored: dict[str, Any]) -> Consumer:
    return Consumer(**{**stored, "since": datetime.fromisoformat(stored["since"])})
