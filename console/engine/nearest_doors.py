"""The nearest local queue: the least to change so that a workload is led to another queue."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

from console.engine.landing import land
from console.engine.local_queues import local_queue_name
from console.engine.nearest import LabelChange, NearMiss, changed_labels
from console.engine.policy import LocalQueue, LocalQueueRouting, Policy
from console.engine.routing import Router
from console.engine.workload import Workload

#: Local queues that are tried for one queue.
_TRIED = 20


def nearest_doors(policy: Policy, workload: Workload, most: int) -> tuple[NearMiss, ...]:
    """
    Return the least to change for each of the first *most* queues that *workload* misses.

    A local queue of its own namespace is nearer than one of another. Where its priority
    class is missing, that label has to go as well.
    """
    routing = policy.local_routing
    assert routing is not None, "only where local queues route"
    router = Router(policy)
    reached = land(policy, workload, router).queue
    doors: dict[str, list[LocalQueue]] = defaultdict(list)
    for door in routing.local_queues.values():
        doors[door.queue].append(door)
    missed = [name for name in policy.queues if name != reached][:most]
    return tuple(
        _nearest(policy, routing, router, workload, name, doors.get(name, [])) for name in missed
    )


def _nearest(
    policy: Policy,
    routing: LocalQueueRouting,
    router: Router,
    workload: Workload,
    queue: str,
    doors: list[LocalQueue],
) -> NearMiss:
    near = sorted(doors, key=lambda door: door.namespace != workload.namespace)
    for door in near[:_TRIED]:
        for labels in _label_changes(routing, workload, door):
            changed = replace(
                workload,
                namespace=door.namespace,
                labels=changed_labels(workload.labels, labels),
            )
            if land(policy, changed, router).queue == queue:
                return NearMiss(
                    queue=queue,
                    labels=tuple(
                        LabelChange(key=key, before=workload.labels.get(key), after=value)
                        for key, value in labels.items()
                    ),
                    namespace=(door.namespace if door.namespace != workload.namespace else None),
                )
    if len(near) > _TRIED:
        return NearMiss(queue=queue, is_cut=True)
    return NearMiss(queue=queue, is_possible=False)


def _label_changes(
    routing: LocalQueueRouting, workload: Workload, door: LocalQueue
) -> Iterator[dict[str, str | None]]:
    present = local_queue_name(routing, workload.labels, door.namespace)
    labels: dict[str, str | None] = {} if present == door.name else {routing.queue_label: door.name}
    yield labels
    if routing.priority_label in workload.labels:
        yield {**labels, routing.priority_label: None}
