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
from console.paging import newest_of
from console.workloads.models import State, Workload

#: Workloads of one state that are looked at.
MOST_LOOKED_AT = 2000

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
        """Number of running nodes without a market."""
        return max(0, self.running - self.spot - self.on_demand)

    def add(self, seen: _Seen) -> None:
        """Count what was *seen* of a workload, which counts as one pod already."""
        if seen.state == State.PENDING:
            self.pending += seen.more
            return
        self.running += seen.more
        if seen.market == "SPOT":
            self.spot += seen.pods
        elif seen.market == "ON_DEMAND":
            self.on_demand += seen.pods


@dataclass(frozen=True, slots=True)
class _Seen:
    """What was seen of a workload: its *pods* on a market, or how many *more* than one it has."""

    queue: str | None
    state: str
    market: str | None
    pods: int
    more: int = 0


def nodes_by_queue(org: Organization, counts: Mapping[str, Counts]) -> dict[str, Nodes]:
    """Return the nodes of every queue in *counts*."""
    found = {name: Nodes(*of_queue) for name, of_queue in counts.items()}
    for seen in _looked_at(Workload.objects.filter(org=org)):
        # Counts are from an earlier moment and do not include new workloads.
        if seen.queue in found:
            found[seen.queue].add(seen)
    return found


def nodes_of(org: Organization, counts: Counts, queue: str | None = None) -> Nodes:
    """Return the nodes of the whole organization, or of *queue*, whose workloads are *counts*."""
    rows = Workload.objects.filter(org=org)
    found = Nodes(*counts)
    for seen in _looked_at(rows.filter(queue=queue) if queue else rows):
        found.add(seen)
    return found


def _looked_at(rows: QuerySet[Workload]) -> Iterator[_Seen]:
    """Yield what the newest workloads of each state say of their pods and markets."""
    market = KeyTextTransform("market-type", F("label_set__labels"))
    for state in (*RUNNING, State.PENDING):
        newest: QuerySet[Any] = newest_of(rows.filter(state=state), MOST_LOOKED_AT)
        newest = newest.annotate(market=market)
        if state in RUNNING:
            for queue, kind in newest.values_list("queue", "market"):
                yield _Seen(queue, state, kind, 1)
        # Few have pod sets, and reading those of all would take most of the time.
        wide = newest.exclude(pod_sets=[])
        for queue, kind, pod_sets, assignment in wide.values_list(
            "queue", "market", "pod_sets", "assignment"
        ):
            more = pods_of(pod_sets, assignment) - 1
            yield _Seen(queue, state, kind, more, more)


def pods_of(pod_sets: Iterable[Mapping[str, Any]], assignment: Iterable[Mapping[str, Any]]) -> int:
    """Return the number of assigned pods of a workload, or else of requested ones."""
    return sum(each["count"] for each in assignment or pod_sets) or 1
