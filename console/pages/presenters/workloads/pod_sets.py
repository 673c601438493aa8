"""The pod sets of a workload, as its page shows them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

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
    """One pod set: how many pods, what each wants, and where they may run."""

    name: str
    count: int
    #: How many of them it was given room for; None before that.
    started: int | None
    min_count: int | None
    #: Of each pod, in thousandths.
    requests: Mapping[str, int]
    #: What it asks of its nodes, one wish each.
    nodes: tuple[str, ...]
    #: The flavor that gives each resource; empty before that.
    flavors: Mapping[str, str]
    #: What these flavors add to the template of its pods, one node label or toleration each.
    additions: tuple[str, ...]
    #: Those of the same group take their flavors together.
    group: str | None


def pod_sets_of(workload: Workload, policy: Policy) -> tuple[PodSetRow, ...]:
    """
    Return the pod sets of *workload*; none when its facts say it all.

    *policy* is the one that admitted it.
    """
    assigned = {each.name: each for each in decode_assignment(workload.assignment)}
    rows = tuple(
        _row(pod_set, assigned.get(pod_set.name), policy)
        for pod_set in decode_pod_sets(workload.pod_sets, workload.requests)
    )
    return rows if workload.pod_sets or any(row.additions for row in rows) else ()


def held_by(workload: Workload) -> Mapping[str, int]:
    """
    Return what *workload* got, in thousandths by resource: less than it asks for with fewer pods.

    All that it asks for while it waits.
    """
    counts = {each.name: each.count for each in decode_assignment(workload.assignment)}
    pod_sets = decode_pod_sets(workload.pod_sets, workload.requests)
    held: dict[str, int] = dict.fromkeys(workload.requests, 0)
    for each in pod_sets:
        for resource, amount in each.requests.items():
            held[resource] += amount * counts.get(each.name, each.count)
    return held


def _row(pod_set: PodSet, assigned: PodSetAssignment | None, policy: Policy) -> PodSetRow:
    flavors = assigned.flavors if assigned else {}
    return PodSetRow(
        name=pod_set.name,
        count=pod_set.count,
        started=assigned.count if assigned else None,
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
    """Return an expression in the words it was written in: "zone NotIn west, east"."""
    return f"{expression.key} {expression.operator} {', '.join(expression.values)}".rstrip()


def _taints(toleration: Toleration) -> str:
    """Return which taints are tolerated, as taints are written: "spot=yes:NoSchedule"."""
    taint = toleration.key or "every taint"
    if toleration.operator != "Exists":
        taint += f"={toleration.value}"
    return f"{taint}:{toleration.effect}" if toleration.effect else taint
