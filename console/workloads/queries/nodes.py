"""
Nodes: how many pods run and wait, and on which market; a pod takes a node of its own.

Workloads are counted for good; their pods and labels are not. So a bounded number of
workloads is looked at, the newest, and every other one counts as one pod on an unknown
market.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from django.db.models import F, QuerySet
from django.db.models.fields.json import KeyTextTransform

from console.orgs.models import Organization
from console.workloads.models import State, Workload

#: Workloads of one state that are looked at.
MOST_LOOKED_AT = 5000

#: What holds quota, and so runs.
RUNNING = (State.ADMITTED, State.PREEMPTING)

#: How many workloads run and wait.
Counts: TypeAlias = tuple[int, int]


@dataclass(slots=True)
class Nodes:
    """Pods, and the markets of those that run."""

    running: int = 0
    pending: int = 0
    spot: int = 0
    on_demand: int = 0

    @property
    def unspecified(self) -> int:
        """How many run on a market that nobody named."""
        return max(0, self.running - self.spot - self.on_demand)

    def count(self, state: str, pods: int, market: str | None) -> None:
        """Count the *pods* of one workload beyond the one that it counts for anyway."""
        if state == State.PENDING:
            self.pending += pods - 1
            return
        self.running += pods - 1
        if market == "SPOT":
            self.spot += pods
        elif market == "ON_DEMAND":
            self.on_demand += pods


def nodes_by_queue(org: Organization, counts: Mapping[str, Counts]) -> dict[str, Nodes]:
    """Return the nodes of every queue in *counts*."""
    found = {name: Nodes(*of_queue) for name, of_queue in counts.items()}
    for queue, state, pods, market in _looked_at(Workload.objects.filter(org=org)):
        # Counts are of another moment: who came to a queue since is not in them.
        if queue in found:
            found[queue].count(state, pods, market)
    return found


def nodes_of(org: Organization, counts: Counts, queue: str | None = None) -> Nodes:
    """Return the nodes of the whole organization, or of *queue*, whose workloads are *counts*."""
    rows = Workload.objects.filter(org=org)
    found = Nodes(*counts)
    for _, state, pods, market in _looked_at(rows.filter(queue=queue) if queue else rows):
        found.count(state, pods, market)
    return found


def _looked_at(rows: QuerySet[Workload]) -> Iterator[tuple[str | None, str, int, str | None]]:
    """Yield queue, state, number of pods and market of the newest workloads of each state."""
    market = KeyTextTransform("market-type", F("label_set__labels"))
    for state in (*RUNNING, State.PENDING):
        newest = rows.filter(state=state).order_by("-pk").annotate(market=market)
        for queue, pod_sets, assignment, kind in newest.values_list(
            "queue", "pod_sets", "assignment", "market"
        )[:MOST_LOOKED_AT]:
            yield queue, state, pods_of(pod_sets, assignment), kind


def pods_of(pod_sets: Iterable[Mapping[str, Any]], assignment: Iterable[Mapping[str, Any]]) -> int:
    """Return how many pods a workload has, or asks for while nothing is assigned to it."""
    return sum(each["count"] for each in assignment or pod_sets) or 1
