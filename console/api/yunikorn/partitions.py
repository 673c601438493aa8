"""Partitions: capacity, node order, and the number of applications by state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from console.api.yunikorn.application_states import ACCEPTED, NEW, RUNNING, STATE_NAMES
from console.api.yunikorn.base import SchedulerView
from console.api.yunikorn.partition_state import OrganizationState, PartitionState
from console.api.yunikorn.shapes import nanoseconds, percentages, present
from console.engine.disciplines.hierarchy.resources import NOTHING
from console.engine.disciplines.hierarchy.spec import Partition
from console.workloads.models import State
from console.workloads.queries import state_counts
from console.workloads.queries.nodes import nodes_by_queue


class Partitions(SchedulerView):
    """The partitions of the active config."""

    def get(self, request: Request) -> Response:
        """List the partitions in the order of the config."""
        org, spec = self.actor.org, self.spec
        state = OrganizationState(org, spec)
        states = [state.partition(name) for name in spec.partitions]
        counts = {name: each for part in states for name, each in part.counts.items()}
        pods = nodes_by_queue(org, counts)
        totals = state_counts(org) if len(states) == 1 else None
        return Response(
            [
                self._row(
                    spec.partitions[part.name],
                    part,
                    sum(pods[name].running for name in part.counts),
                    _applications(part, totals),
                )
                for part in states
            ]
        )

    def _row(
        self,
        partition: Partition,
        state: PartitionState,
        containers: int,
        applications: Mapping[str, int],
    ) -> dict[str, Any]:
        capacity, used = state.root.maximum or NOTHING, state.root.allocated
        return {
            "clusterId": self.actor.org.slug,
            "name": partition.name,
            "capacity": present(
                capacity=capacity, usedCapacity=used, utilization=percentages(capacity, used)
            ),
            "nodeSortingPolicy": {
                "type": partition.node_order.value,
                "resourceWeights": partition.weights,
            },
            "preemptionEnabled": partition.preempts,
            "quotaPreemptionEnabled": partition.preempts_over_maximum,
            "applications": applications,
            "state": "Active",
            "lastStateTransitionTime": nanoseconds(self.version.created_at),
            **present(totalNodes=len(state.nodes), totalContainers=containers),
        }


def _applications(state: PartitionState, totals: Mapping[str, int] | None) -> dict[str, int]:
    """
    Return the numbers of applications by state, and their sum.

    *totals* are those of the organization, None if it has several partitions: then applications
    that have no queue or have ended are not counted.
    """
    found: dict[str, int] = {}
    queued = sum(pending for _, pending in state.counts.values())
    if totals is None:
        found[RUNNING] = sum(running for running, _ in state.counts.values())
        found[ACCEPTED] = queued
    else:
        for name, count in totals.items():
            found[STATE_NAMES[name]] = count
        found[ACCEPTED] = min(queued, totals[State.PENDING])
        found[NEW] = totals[State.PENDING] - found[ACCEPTED]
    shown = {name: count for name, count in found.items() if count}
    return {**shown, "total": sum(shown.values())}
