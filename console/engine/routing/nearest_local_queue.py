"""Nearest local queue: the smallest change that routes a workload to another queue."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

from console.engine.model.policy import Policy
from console.engine.model.workload import Workload
from console.engine.routing.local_queues import (
    LocalQueue,
    LocalQueueRouting,
    local_queue_name,
    local_routing_of,
)
from console.engine.routing.nearest_rule import LabelChange, NearMiss, changed_labels
from console.engine.routing.route_result import find_route_result
from console.engine.routing.router import Router

#: Local queues to try for each queue.
_TRIED = 20


def nearest_local_queues(policy: Policy, workload: Workload, most: int) -> tuple[NearMiss, ...]:
    """
    Return the smallest change for each of the first *most* queues that *workload* does not reach.

    A local queue of its own namespace is nearer than one of another. If its priority
    class is missing, that label has to be removed as well. Empty under another routing
    strategy.
    """
    routing = local_routing_of(policy)
    if routing is None:
        return ()
    router = Router(policy)
    reached = find_route_result(policy, workload, router).queue
    local_queues: dict[str, list[LocalQueue]] = defaultdict(list)
    for local_queue in routing.local_queues.values():
        local_queues[local_queue.queue].append(local_queue)
    missed = [name for name in policy.queues if name != reached][:most]
    return tuple(
        _nearest(policy, routing, router, workload, name, local_queues.get(name, []))
        for name in missed
    )


def _nearest(
    policy: Policy,
    routing: LocalQueueRouting,
    router: Router,
    workload: Workload,
    queue: str,
    local_queues: list[LocalQueue],
) -> NearMiss:
    near = sorted(local_queues, key=lambda local_queue: local_queue.namespace != workload.namespace)
    for local_queue in near[:_TRIED]:
        for labels in _label_changes(routing, workload, local_queue):
            changed = replace(
                workload,
                namespace=local_queue.namespace,
                labels=changed_labels(workload.labels, labels),
            )
            if find_route_result(policy, changed, router).queue == queue:
                return NearMiss(
                    queue=queue,
                    labels=tuple(
                        LabelChange(key=key, before=workload.labels.get(key), after=value)
                        for key, value in labels.items()
                    ),
                    namespace=(
                        local_queue.namespace
                        if local_queue.namespace != workload.namespace
                        else None
                    ),
                )
    if len(near) > _TRIED:
        return NearMiss(queue=queue, is_cut=True)
    return NearMiss(queue=queue, is_possible=False)


def _label_changes(
    routing: LocalQueueRouting, workload: Workload, local_queue: LocalQueue
) -> Iterator[dict[str, str | None]]:
    present = local_queue_name(routing, workload.labels, local_queue.namespace)
    labels: dict[str, str | None] = (
        {} if present == local_queue.name else {routing.queue_label: local_queue.name}
    )
    yield labels
    if routing.priority_label in workload.labels:
        yield {**labels, routing.priority_label: None}
