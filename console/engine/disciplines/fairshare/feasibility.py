"""
Whether a pending workload can ever start: which bounds it exceeds even if nothing else runs.

The answer depends on the config and on the nodes that clusters report, so that it holds until one
of them changes. It is exact for pods that are alike; different pods of a gang may exceed the nodes
without being found.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from console.engine.disciplines.empty_nodes import (
    EmptyNodes,
    NodeKind,
    closest,
    fits,
    pods_on,
    too_many_pods,
)
from console.engine.disciplines.fairshare.gangs import Pod, requested, start_unit
from console.engine.disciplines.fairshare.node_room import memory_of_device
from console.engine.disciplines.fairshare.requests import (
    GPU_MEMORY,
    GPU_NAMES,
    Need,
    offered_amounts,
)
from console.engine.disciplines.fairshare.resources import RESOURCES, Amounts, Bounds
from console.engine.disciplines.fairshare.session import Job
from console.engine.disciplines.fairshare.spec import FairshareSpec
from console.engine.model.amounts import SCALE
from console.engine.model.exceeded import BoundKind, Exceeded
from console.engine.model.inventory import Cluster, Node
from console.engine.model.workload import PodSet, Workload


class Feasibility:
    """The bounds of one config and one inventory."""

    def __init__(self, spec: FairshareSpec, clusters: Iterable[Cluster]) -> None:
        self._spec = spec
        self._nodes = EmptyNodes(clusters, _offered, spec.includes)

    def exceeded(self, workload: Workload, job: Job) -> tuple[Exceeded, ...]:
        """
        Return the bounds that keep the pending *workload* from ever starting; empty: none does.

        *job* stands for it, and none of its pods has a node. Limits come first, then quotas, each
        from the queue itself upwards, then nodes. Without any nodes, only the config counts.
        """
        unit = start_unit(job.groups)
        request, pods = requested(unit), len(unit)
        path = [self._spec.tree.queues[name] for name in self._spec.tree.path(job.queue)]
        found: list[Exceeded] = []
        for queue in path:
            found += _over(BoundKind.LIMIT, queue.name, queue.limit, request, pods)
        for queue in () if job.is_preemptible else path:
            found += _over(BoundKind.QUOTA, queue.name, queue.quota, request, pods)
        if len(self._nodes):
            found += self._nodes_exceeded(workload, job, unit)
        return tuple(found)

    def _nodes_exceeded(
        self, workload: Workload, job: Job, unit: Sequence[Pod]
    ) -> Iterator[Exceeded]:
        chosen = set(unit)
        needs = {
            group.name: [pod.need for pod in group.pods if pod in chosen] for group in job.groups
        }
        starting = [each for each in workload.pod_sets if needs.get(each.name)]
        is_exceeded = False
        for pod_set in starting:
            alike = needs[pod_set.name]
            for fact in self._pod_set_exceeded(pod_set, alike[0], len(alike)):
                is_exceeded = True
                yield fact
        if len(starting) < 2 or is_exceeded:
            return
        for resource, amount in zip(RESOURCES, requested(unit), strict=True):
            offered = self._nodes.total(resource)
            if amount > offered:
                yield Exceeded(
                    kind=BoundKind.NODES,
                    resource=resource,
                    requested=amount,
                    most=offered,
                    pods=len(unit),
                )

    def _pod_set_exceeded(self, pod_set: PodSet, need: Need, count: int) -> Iterator[Exceeded]:
        kinds = self._nodes.accepting(pod_set)
        if not kinds:
            yield self._nodes.constraints_exceeded()
            return
        amounts = _needed(need)
        if not any(fits(amounts, kind) for kind in kinds):
            yield from closest(amounts, kinds, lambda _, amount: amount)
            return
        room = partial(_pods_on, need, amounts, most=count)
        possible = sum(kind.number * room(kind) for kind in kinds if fits(amounts, kind))
        if possible < count:
            yield too_many_pods(count, possible)


def _over(
    kind: BoundKind, queue: str, bounds: Bounds, request: Amounts, pods: int
) -> Iterator[Exceeded]:
    for resource, amount, bound in zip(RESOURCES, request, bounds, strict=True):
        if amount and isinstance(bound, int) and amount > bound:
            yield Exceeded(
                kind=kind, name=queue, resource=resource, requested=amount, most=bound, pods=pods
            )


def _offered(node: Node) -> dict[str, int]:
    """Return what a node offers, and the memory of each of its devices."""
    cpu, memory, gpu = offered_amounts(node.offered)
    others = {name: value for name, value in node.offered.items() if name not in GPU_NAMES}
    return {
        **others,
        RESOURCES.cpu: cpu,
        RESOURCES.memory: memory,
        RESOURCES.gpu: gpu // SCALE * SCALE,
        GPU_MEMORY: memory_of_device(node) * SCALE,
    }


def _needed(need: Need) -> dict[str, int]:
    """Return what one pod needs of a node; shares of devices need as many devices with room."""
    found = {**dict(need.others), RESOURCES.cpu: need.cpu, RESOURCES.memory: need.memory}
    found[RESOURCES.gpu] = need.gpus * SCALE
    if need.share is not None:
        found[RESOURCES.gpu] = need.share.devices * SCALE
        found[GPU_MEMORY] = need.share.memory
    return {name: amount for name, amount in found.items() if amount}


def _pods_on(need: Need, amounts: dict[str, int], kind: NodeKind, *, most: int) -> int:
    """Return how many pods one node could hold; a device holds several shares."""
    if need.share is None:
        return pods_on(amounts, kind, most)
    whole = {
        name: each for name, each in amounts.items() if name not in (RESOURCES.gpu, GPU_MEMORY)
    }
    memory = kind.amounts[GPU_MEMORY]
    size = need.share.of(memory // SCALE)
    shares = kind.amounts[RESOURCES.gpu] // SCALE * (memory // size if size else most)
    return min(pods_on(whole, kind, most), shares // need.share.devices)
