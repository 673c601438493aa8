"""Pods of applications: asks for pods without a node, and allocations of pods that have one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from console.api.yunikorn.shapes import nanoseconds, present
from console.engine.disciplines.hierarchy.requests import of_pod
from console.engine.disciplines.hierarchy.resources import NOTHING, Resources, plus, times
from console.engine.live.node_usage import NodeKey
from console.engine.model.inventory import Cluster
from console.engine.model.nodes import required_node
from console.engine.model.workload import PodSet
from console.workloads.models import State, Workload
from console.workloads.queries.running import RUNNING
from console.workloads.stored_assignments import decode_assignment
from console.workloads.stored_pod_sets import decode_pod_sets

#: Tags of pods under the names that YuniKorn gives them.
_NAMESPACE, _POD_NAME = "kubernetes.io/meta/namespace", "kubernetes.io/meta/podName"


class NodeNames:
    """The ids of nodes: their names, with the cluster before it where two have the same name."""

    def __init__(self, clusters: Iterable[Cluster]) -> None:
        names = Counter(node.name for cluster in clusters for node in cluster.nodes)
        self._shared = {name for name, count in names.items() if count > 1}

    def id_of(self, key: NodeKey) -> str:
        """Return the id of a node."""
        cluster, name = key
        return f"{cluster}/{name}" if name in self._shared else name


@dataclass(frozen=True, slots=True)
class PodGroup:
    """Pods of one pod set that run in the same place."""

    pod_set: PodSet
    count: int
    #: None: another scheduler has started them.
    node: NodeKey | None
    #: Whether they have to stop.
    is_stopping: bool

    @property
    def resources(self) -> Resources:
        """What they use together."""
        return times(of_pod(self.pod_set.requests, counts_pods=False), self.count)


def pod_groups(workload: Workload) -> Iterator[PodGroup]:
    """Yield the pods of a workload that run."""
    # Workloads that have ended keep their last places.
    if workload.state not in RUNNING:
        return
    pod_sets = {each.name: each for each in decode_pod_sets(workload.pod_sets, workload.requests)}
    stops = workload.state == State.PREEMPTING
    for assigned in decode_assignment(workload.assignment):
        pod_set = pod_sets.get(assigned.name)
        if pod_set is None:
            continue
        if not assigned.places and assigned.count:
            yield PodGroup(pod_set, assigned.count, None, stops)
        for places, is_stopping in ((assigned.places, stops), (assigned.stopping, True)):
            for place in places:
                has_node = place.cluster is not None and place.node is not None
                node = (place.cluster or "", place.node or "") if has_node else None
                yield PodGroup(pod_set, place.count, node, is_stopping)


def used_by(workload: Workload) -> Resources:
    """Return what the pods of a workload that run use together."""
    total: Resources = NOTHING
    for group in pod_groups(workload):
        total = plus(total, group.resources)
    return total


def missing_pods(workload: Workload) -> list[tuple[PodSet, int]]:
    """Return the pod sets of a workload that ask for pods, and how many."""
    if workload.state not in (State.PENDING, State.ADMITTED):
        return []
    remaining: Mapping[str, int] = workload.remaining_pods or {}
    running = {each.name: each.count for each in decode_assignment(workload.assignment)}
    found = []
    for pod_set in decode_pod_sets(workload.pod_sets, workload.requests):
        count = remaining.get(pod_set.name, pod_set.count) - running.get(pod_set.name, 0)
        if count > 0:
            found.append((pod_set, count))
    return found


def requested_by(missing: Iterable[tuple[PodSet, int]]) -> Resources:
    """Return what missing pods ask for together."""
    total: Resources = NOTHING
    for pod_set, count in missing:
        total = plus(total, times(of_pod(pod_set.requests, counts_pods=False), count))
    return total


def allocation(
    workload: Workload, group: PodGroup, names: NodeNames, application: str
) -> dict[str, Any]:
    """Return the pods of *group* as one allocation, whose ``pods`` is their number."""
    node = names.id_of(group.node) if group.node is not None else ""
    requested, allocated = nanoseconds(workload.submitted_at), nanoseconds(workload.admitted_at)
    return {
        "allocationKey": "/".join(filter(None, (workload.uid, group.pod_set.name, node))),
        "pods": group.count,
        **present(
            allocationTags=_tags(workload, group.pod_set),
            requestTime=requested,
            allocationTime=allocated,
            allocationDelay=max(0, allocated - requested) if allocated else 0,
            resource=group.resources,
            priority=str(workload.priority or 0),
            nodeId=node,
            requiredNodeId=required_node(group.pod_set.affinity) or "",
            applicationId=application,
            taskGroupName=_task_group(group.pod_set),
            preempted=group.is_stopping,
        ),
    }


def ask(
    workload: Workload,
    pod_set: PodSet,
    count: int,
    application: str,
    log: Iterable[Mapping[str, Any]],
) -> dict[str, Any]:
    """Return *count* pods of a pod set without a node as one ask; *log* has the reasons."""
    return {
        "allocationKey": f"{workload.uid}/{pod_set.name}",
        "pendingCount": count,
        **present(
            allocationTags=_tags(workload, pod_set),
            requestTime=nanoseconds(workload.submitted_at),
            resource=of_pod(pod_set.requests, counts_pods=False),
            priority=str(workload.priority or 0),
            requiredNodeId=required_node(pod_set.affinity) or "",
            applicationId=application,
            taskGroupName=_task_group(pod_set),
            allocationLog=list(log),
            schedulingAttempted=workload.queue is not None,
        ),
    }


def _tags(workload: Workload, pod_set: PodSet) -> dict[str, str]:
    name = workload.name if not workload.pod_sets else f"{workload.name}-{pod_set.name}"
    # The web interface shows pods only with a namespace.
    return {_NAMESPACE: workload.namespace or "default", _POD_NAME: name}


def _task_group(pod_set: PodSet) -> str:
    return pod_set.name if pod_set.min_count is not None else ""
