"""
Who consumes most of a resource: workloads, projects and users, by what they hold and how long.

Consumption is what a running workload holds times how long it has held it: GPU-hours where
the resource is gpu. It is measured by a worker every few minutes, among a bounded number of
workloads, those that were submitted first.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from console.orgs.models import Organization
from console.overview.models import Consumption

#: Rows of each kind that are kept.
MOST_ROWS: Final = 10

#: Resources that are kept, those that most workloads hold.
MOST_RESOURCES: Final = 20

#: What consumers are told apart by.
KINDS: Final = ("workload", "project", "user")


@dataclass(frozen=True, slots=True, kw_only=True)
class Consumer:
    """A workload, project or user, and what it consumes of one resource."""

    #: Its name; empty for workloads that name no project or no user.
    name: str
    #: Of a workload its id and its queue, which may be none.
    uid: str = ""
    queue: str = ""
    #: How many workloads of it run.
    workloads: int
    #: What it holds, in thousandths.
    held: int
    #: Thousandths of the resource times hours.
    hours: int
    #: When the oldest of its workloads was admitted.
    since: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Consumers:
    """Who consumes most of *resource*, most first."""

    resource: str
    #: All that can be asked for.
    resources: tuple[str, ...]
    workloads: tuple[Consumer, ...]
    projects: tuple[Consumer, ...]
    users: tuple[Consumer, ...]
    looked_through: int
    is_whole: bool
    measured_at: datetime


def top_consumers(org: Organization, resource: str | None) -> Consumers | None:
    """
    Return who consumes most of *resource*, or of what is most likely meant.

    None before the first measurement, and while nothing runs.
    """
    row = Consumption.objects.filter(org=org).first()
    if row is None or not row.resources:
        return None
    resources = tuple(row.resources)
    usual = next((name for name in resources if "gpu" in name.lower()), resources[0])
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
