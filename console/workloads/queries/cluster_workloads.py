"""The newest workloads with pods on the nodes of one cluster."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from console.engine.model.decision import Place
from console.orgs.models import Organization
from console.workloads.models import State, Workload
from console.workloads.queries.filters import WorkloadFilter
from console.workloads.queries.listing import list_workloads
from console.workloads.stored_assignments import decode_assignment

#: Maximum number of nodes that are named for one workload.
_NAMED: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterWorkload:
    """A workload with its pods on one cluster."""

    workload: Workload
    #: Number of its running pods there, and of those that have to stop.
    running: int
    stopping: int
    #: The first nodes with its pods, and the number of the others.
    nodes: tuple[str, ...]
    more_nodes: int


def workloads_on(org: Organization, cluster: str, most: int) -> list[ClusterWorkload]:
    """Return up to *most* workloads with pods on *cluster*, those that have to stop first."""
    rows: list[Workload] = []
    for state in (State.PREEMPTING, State.ADMITTED):
        conditions = WorkloadFilter(state=state, flavor=cluster)
        rows += list_workloads(org, conditions, most).results
    return [_on_cluster(row, cluster) for row in rows[:most]]


def _on_cluster(workload: Workload, cluster: str) -> ClusterWorkload:
    assignment = decode_assignment(workload.assignment)
    running = _here((place for each in assignment for place in each.places), cluster)
    stopping = _here((place for each in assignment for place in each.stopping), cluster)
    nodes = tuple(dict.fromkeys(place.node or "" for place in (*running, *stopping)))
    return ClusterWorkload(
        workload=workload,
        running=sum(place.count for place in running),
        stopping=sum(place.count for place in stopping),
        nodes=nodes[:_NAMED],
        more_nodes=max(0, len(nodes) - _NAMED),
    )


def _here(places: Iterable[Place], cluster: str) -> list[Place]:
    return [place for place in places if place.cluster == cluster]
