"""The largest consumers: running workloads by number of pods, then by run time."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils import timezone

from console.orgs.models import Organization
from console.workloads.models import Workload
from console.workloads.queries.nodes import RUNNING, pods_of

#: Maximum number of compared workloads per state, the first submitted, which have run longest.
_COMPARED = 1000

_COLUMNS = ("uid", "name", "project", "pod_sets", "assignment", "admitted_at")


@dataclass(frozen=True, slots=True, kw_only=True)
class Consumer:
    """A running workload, its number of pods and its run time."""

    workload: Workload
    nodes: int
    #: Whole seconds since it was admitted.
    seconds: int


def top_consumers(org: Organization, limit: int, queue: str | None = None) -> list[Consumer]:
    """Return the *limit* largest consumers of *org* or of one queue, largest first."""
    now = timezone.now()
    rows = Workload.objects.filter(org=org).only(*_COLUMNS)
    if queue is not None:
        rows = rows.filter(queue=queue)
    found = []
    for state in RUNNING:
        for workload in rows.filter(state=state).order_by("pk")[:_COMPARED]:
            since = workload.admitted_at or now
            nodes = pods_of(workload.pod_sets, workload.assignment)
            seconds = max(0, int((now - since).total_seconds()))
            found.append(Consumer(workload=workload, nodes=nodes, seconds=seconds))
    found.sort(key=lambda each: (-each.nodes, -each.seconds, each.workload.pk))
    return found[:limit]
