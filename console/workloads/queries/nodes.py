"""
Nodes: the number of running and pending pods, and their markets; each pod uses its own node.

Counts of workloads are stored, but not those of their pods and labels. So a limited number of
workloads is read, the newest, and every other one counts as one pod on an unknown market.
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

#: Maximum number of workloads of one state that are read.
MOST_LOOKED_AT = 2000

#: States of workloads that use quota.
RUNNING = (State.ADMITTED, State.PREEMPTING)

#: Numbers of running and pending workloads.
Counts: TypeAlias = tuple[int, int]


@dataclass(slots=True)
class Nodes:
    """Numbers of pods, and of running pods on each market."""

    running: int = 0
    pending: int = 0
    spot: int = 0
    on_demand: int = 0

    @property
    def unspecified(self) -> int:
        """Number of running nodes without a market."""
        return max(0, self.running - self.spot - self.on_demand)

    def add(self, count: _PodCount) -> None:
        """Add the pods of a workload, which already counts as one pod."""
        if count.state == State.PENDING:
            self.pending += count.more
            return
        self.running += count.more
        if count.market == "SPOT":
            self.spot += count.pods
        elif count.market == "ON_DEMAND":
            self.on_demand += count.pods


@dataclass(frozen=True, slots=True)
class _PodCount:
    """Pods of a workload: *pods* on a market, of which *more* are not counted yet."""

    queue: str | None
    state: str
    market: str | None
    pods: int
    more: int = 0


def nodes_by_queue(org: Organization, counts: Mapping[str, Counts]) -> dict[str, Nodes]:
    """Return the nodes of every queue in *counts*."""
    found = {name: Nodes(*of_queue) for name, of_queue in counts.items()}
    for count in _read_newest(Workload.objects.filter(org=org)):
        # The counts are older than these rows, and may lack the queue of a new workload.
        if count.queue in found:
            found[count.queue].add(count)
    return found


def nodes_of(org: Organization, counts: Counts, queue: str | None = None) -> Nodes:
    """Return the nodes of the organization or of *queue*, with *counts* of its workloads."""
    rows = Workload.objects.filter(org=org)
    found = Nodes(*counts)
    for count in _read_newest(rows.filter(queue=queue) if queue else rows):
        found.add(count)
    return found


def _read_newest(rows: QuerySet[Workload]) -> Iterator[_PodCount]:
    """Yield pods and markets of the newest workloads of each state."""
    market = KeyTextTransform("market-type", F("label_set__labels"))
    for state in (*RUNNING, State.PENDING):
        newest: QuerySet[Any] = newest_of(rows.filter(state=state), MOST_LOOKED_AT)
        newest = newest.annotate(market=market)
        if state in RUNNING:
            for queue, kind in newest.values_list("queue", "market"):
                yield _PodCount(queue, state, kind, 1)
        # Few workloads have pod sets, and to read them for all would take most of the time.
        wide = newest.exclude(pod_sets=[])
        for queue, kind, pod_sets, assignment in wide.values_list(
            "queue", "market", "pod_sets", "assignment"
        ):
            more = pods_of(pod_sets, assignment) - 1
            yield _PodCount(queue, state, kind, more, more)


def pods_of(pod_sets: Iterable[Mapping[str, Any]], assignment: Iterable[Mapping[str, Any]]) -> int:
    """Return the number of assigned pods of a workload, or else of requested ones."""
    return sum(each["count"] for each in assignment or pod_sets) or 1
