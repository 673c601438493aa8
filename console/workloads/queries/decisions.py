"""The decisions about one workload."""

from __future__ import annotations

from console.errors import NotFound
from console.workloads.models import Decision, Workload


def latest_decisions(workload: Workload, limit: int) -> list[Decision]:
    """Return the latest decisions about *workload*, newest first, without their traces."""
    rows = Decision.objects.filter(workload=workload).order_by("-pk").defer("trace")
    return list(rows[:limit])


def get_decision(workload: Workload, number: int) -> Decision:
    """Return one decision about *workload*; raises NotFound when there is none of that number."""
    decision = Decision.objects.filter(workload=workload, pk=number).first()
    if decision is None:
        raise NotFound(f"There is no decision {number} about the workload {workload.uid!r}.")
    return decision
