"""The state of the scheduler in the form of YuniKorn's health check."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from console.api.yunikorn.base import SchedulerView
from console.capacity.queries.kept_inventory import present_inventory
from console.heartbeat import Pulse, pulse
from console.workloads.queries.node_usage import deleted_clusters_in_use, free_of, node_usage_of


class HealthCheck(SchedulerView):
    """Checks of the worker, the clusters and the nodes."""

    def get(self, request: Request) -> Response:
        """Return the checks, and whether all of them succeeded."""
        org = self.actor.org
        clusters = present_inventory(org).clusters
        used = node_usage_of(org)
        failed = [name for name, cluster in clusters.items() if cluster.has_failed]
        negative = [
            f"{name}/{node.name}"
            for name, cluster in clusters.items()
            for node in cluster.nodes
            if min(free_of(node.offered, used.get((name, node.name), {}), None).values(), default=0)
            < 0
        ]
        beats = pulse()
        checks = [
            _check(
                "Scheduling errors",
                "Check whether a worker schedules",
                "A worker schedules" if beats is Pulse.BEATING else f"State: {beats.value}",
                succeeded=beats is Pulse.BEATING,
            ),
            _listed("Failed nodes", "Check for clusters that are silent or failed", failed),
            _listed("Negative resources", "Check for negative resources in the nodes", negative),
            _listed(
                "Orphan allocations",
                "Check for pods in clusters that were deleted",
                deleted_clusters_in_use(org),
            ),
        ]
        is_healthy = all(each["Succeeded"] for each in checks)
        return Response({"Healthy": is_healthy, "HealthChecks": checks})


def _listed(name: str, description: str, found: Iterable[str]) -> dict[str, Any]:
    """Return a check that succeeds if nothing is *found*."""
    names = ", ".join(found)
    return _check(name, description, f"Found: [{names}]", succeeded=not names)


def _check(name: str, description: str, diagnosis: str, *, succeeded: bool) -> dict[str, Any]:
    return {
        "Name": name,
        "Succeeded": succeeded,
        "Description": description,
        "DiagnosisMessage": diagnosis,
    }
