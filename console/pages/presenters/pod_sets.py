"""The pod sets of a workload, as its page shows them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from console.engine.nodes import NodeExpression, Toleration
from console.engine.workload import PodSet
from console.workloads.models import Workload
from console.workloads.stored_pod_sets import decode_pod_sets


@dataclass(frozen=True, slots=True, kw_only=True)
class PodSetRow:
    """One pod set: how many pods, what each wants, and where they may run."""

    name: str
    count: int
    min_count: int | None
    #: Of each pod, in thousandths.
    requests: Mapping[str, int]
    #: What it asks of its nodes, one wish each.
    nodes: tuple[str, ...]
    #: Those of the same group take their flavors together.
    group: str | None


def pod_sets_of(workload: Workload) -> tuple[PodSetRow, ...]:
    """Return the pod sets of *workload*; none when its facts say it all."""
    if not workload.pod_sets:
        return ()
    return tuple(map(_row, decode_pod_sets(workload.pod_sets, workload.requests)))


def _row(pod_set: PodSet) -> PodSetRow:
    return PodSetRow(
        name=pod_set.name,
        count=pod_set.count,
        min_count=pod_set.min_count,
        requests=pod_set.requests,
        nodes=tuple(_nodes(pod_set)),
        group=pod_set.group,
    )


def _nodes(pod_set: PodSet) -> Iterator[str]:
    for key, value in pod_set.node_selector.items():
        yield f"{key}={value}"
    if pod_set.affinity:
        yield " or ".join(" and ".join(map(_expression, term)) for term in pod_set.affinity)
    for toleration in pod_set.tolerations:
        yield f"tolerates {_taints(toleration)}"


def _expression(expression: NodeExpression) -> str:
    """Return an expression in the words it was written in: "zone NotIn west, east"."""
    return f"{expression.key} {expression.operator} {', '.join(expression.values)}".rstrip()


def _taints(toleration: Toleration) -> str:
    """Return which taints are tolerated, as taints are written: "spot=yes:NoSchedule"."""
    taint = toleration.key or "every taint"
    if toleration.operator != "Exists":
        taint += f"={toleration.value}"
    return f"{taint}:{toleration.effect}" if toleration.effect else taint
