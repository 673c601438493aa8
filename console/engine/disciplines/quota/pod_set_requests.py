"""Pod set requests: what each pod set of a workload requests from one queue in one turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from console.engine.disciplines.quota.ledger import QuotaQueue, covers
from console.engine.model.amounts import SCALE
from console.engine.model.obstacles import Obstacles
from console.engine.model.workload import PODS
from console.engine.pending.pending_class import Pending


@dataclass(frozen=True, slots=True)
class PodSetRequest:
    """The request of one pod set, with the pod count that it would start with."""

    name: str
    count: int
    #: The sum of the requests of its pods, in thousandths; zeros only where they matter.
    requests: Mapping[str, int]
    obstacles: Obstacles
    #: Name of the group of pod sets that take the same flavors; None: no group.
    group: str | None


def pod_set_requests(
    queue: QuotaQueue, pending: Pending, counts: tuple[int, ...] | None, *, zeros: bool
) -> tuple[PodSetRequest, ...]:
    """
    Return what *pending* requests from *queue*; *counts* replaces the pod counts of its pod sets.

    ``pods`` is added where a resource group covers it. *zeros* keeps requests of zero, so
    that a covered resource takes a flavor even then (Kueue, spec 6.1).
    """
    found = []
    obstacles, counts_pods = pending.eligibility.obstacles, PODS in covers(queue)
    for index, pod_set in enumerate(pending.workload.pod_sets):
        count = pod_set.count if counts is None else counts[index]
        requests = {
            resource: amount * count
            for resource, amount in pod_set.requests.items()
            if zeros or amount * count
        }
        if counts_pods:
            requests[PODS] = count * SCALE
        found.append(PodSetRequest(pod_set.name, count, requests, obstacles[index], pod_set.group))
    return tuple(found)


def flavor_sharing_groups(
    pod_sets: tuple[PodSetRequest, ...],
) -> Iterator[tuple[PodSetRequest, ...]]:
    """Yield the groups of pod sets that take the same flavors, by their first members."""
    if len(pod_sets) == 1:
        yield pod_sets
        return
    done: set[str] = set()
    for each in pod_sets:
        if each.group is None:
            yield (each,)
        elif each.group not in done:
            done.add(each.group)
            yield tuple(other for other in pod_sets if other.group == each.group)
