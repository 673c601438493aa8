"""Rows of a workload's pod sets: count, requests, node conditions, flavors and places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from console.engine.model.decision import PodSetAssignment
from console.engine.model.launch_settings import PodAdditions
from console.engine.model.nodes import NodeExpression, Toleration
from console.engine.model.policy import Policy
from console.engine.model.workload import PodSet
from console.workloads.models import Workload
from console.workloads.stored_assignments import decode_assignment
from console.workloads.stored_pod_sets import decode_pod_sets


@dataclass(frozen=True, slots=True, kw_only=True)
class PodSetRow:
    """One pod set: number of pods, request of each pod, and conditions on nodes."""

    name: str
    count: int
    #: Number of admitted pods; None before admission.
    started: int | None
    #: Number of pods that have finished.
    finished: int
    min_count: int | None
    #: Request of one pod, in thousandths.
    requests: Mapping[str, int]
    #: Conditions on nodes, one text each.
    nodes: tuple[str, ...]
    #: Resource -> assigned flavor; empty before admission.
    flavors: Mapping[str, str]
    #: Node labels and tolerations that the flavors add to the pod template, one text each.
    additions: tuple[str, ...]
    #: Pod sets of the same group get the same flavors.
    group: str | None


#: Maximum number of places that a page shows.
MOST_PLACES: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceRow:
    """Pods of one pod set in one place."""

    pod_set: str
    count: int
    cluster: str
    node: str
    flavor: str
    #: Whether the pods have to stop.
    is_stopping: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """The places of a workload's pods, and how many more there are than rows."""

    rows: tuple[PlaceRow, ...]
    more: int


def places_of(workload: Workload) -> Places:
    """Return the places of the pods of *workload*; none unless the scheduler assigns places."""
    rows = tuple(
        PlaceRow(
            pod_set=each.name,
            count=place.count,
            cluster=place.cluster or "",
            node=place.node or "",
            flavor=place.flavor or "",
            is_stopping=is_stopping,
        )
        for each in decode_assignment(workload.assignment)
        for is_stopping, places in ((False, each.places), (True, each.stopping))
        for place in places
    )
    return Places(rows=rows[:MOST_PLACES], more=max(0, len(rows) - MOST_PLACES))


def pod_sets_of(workload: Workload, policy: Policy) -> tuple[PodSetRow, ...]:
    """
    Return the rows of the pod sets of *workload*; empty if they add nothing to its other facts.

    *policy* is the policy that admitted the workload.
    """
    assigned = {each.name: each for each in decode_assignment(workload.assignment)}
    remaining = workload.remaining_pods or {}
    rows = tuple(
        _row(pod_set, assigned.get(pod_set.name), policy, remaining.get(pod_set.name))
        for pod_set in decode_pod_sets(workload.pod_sets, workload.requests)
    )
    return rows if workload.pod_sets or any(row.additions for row in rows) else ()


def admitted_amounts(workload: Workload) -> Mapping[str, int]:
    """
    Return the admitted amounts of *workload*, in thousandths by resource.

    They are less than its request if fewer pods were admitted. A pending workload has its full
    request.
    """
    counts = {each.name: each.count for each in decode_assignment(workload.assignment)}
    pod_sets = decode_pod_sets(workload.pod_sets, workload.requests)
    held: dict[str, int] = dict.fromkeys(workload.requests, 0)
    for each in pod_sets:
        for resource, amount in each.requests.items():
            held[resource] += amount * counts.get(each.name, each.count)
    return held


def _row(
    pod_set: PodSet, assigned: PodSetAssignment | None, policy: Policy, remaining: int | None
) -> PodSetRow:
    flavors = assigned.flavors if assigned else {}
    return PodSetRow(
        name=pod_set.name,
        count=pod_set.count,
        started=assigned.count if assigned else None,
        finished=0 if remaining is None else pod_set.count - remaining,
        min_count=pod_set.min_count,
        requests=pod_set.requests,
        nodes=tuple(_nodes(pod_set)),
        flavors=flavors,
        additions=tuple(_additions(policy.spec.pod_additions(flavors))),
        group=pod_set.group,
    )


def _nodes(pod_set: PodSet) -> Iterator[str]:
    for key, value in pod_set.node_selector.items():
        yield f"{key}={value}"
    if pod_set.affinity:
        yield " or ".join(" and ".join(map(_expression, term)) for term in pod_set.affinity)
    for toleration in pod_set.tolerations:
        yield f"tolerates {_taints(toleration)}"


def _additions(added: PodAdditions) -> Iterator[str]:
    for key, value in added.node_selector.items():
        yield f"{key}={value}"
    for toleration in added.tolerations:
        seconds = f" for {toleration.seconds} s" if toleration.seconds is not None else ""
        yield f"tolerates {_taints(toleration)}{seconds}"


def _expression(expression: NodeExpression) -> str:
    """Return an expression in the notation of manifests: "zone NotIn west, east"."""
    return f"{expression.key} {expression.operator} {', '.join(expression.values)}".rstrip()


def _taints(toleration: Toleration) -> str:
    """Return the tolerated taints in the notation of taints: "spot=yes:NoSchedule"."""
    taint = toleration.key or "every taint"
    if toleration.operator != "Exists":
        taint += f"={toleration.value}"
    return f"{taint}:{toleration.effect}" if toleration.effect else taint
