"""What a workload requests in one turn: its pod sets with their counts, as one queue sees them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from console.engine.disciplines.quota.ledger import QuotaQueue, covers
from console.engine.model.amounts import SCALE
from console.engine.model.obstacles import Obstacles
from console.engine.model.workload import PODS
from console.engine.pending.pending_class import Pending


@dataclass(frozen=True, slots=True)
class PodSetAsk:
    """One pod set with the count it would start with."""

    name: str
    count: int
    #: The sum of the requests of its pods, in thousandths; zeros only where they matter.
    requests: Mapping[str, int]
    obstacles: Obstacles
    #: Name of the group that shares its flavors; None: it takes its own.
    group: str | None


def ask(
    queue: QuotaQueue, pending: Pending, counts: tuple[int, ...] | None, *, zeros: bool
) -> tuple[PodSetAsk, ...]:
    """
    Return what *pending* requests of *queue*, with *counts* pods instead of all of them.

    ``pods`` is added where a resource group covers it. *zeros* keeps requests of zero:
    a covered resource then takes a flavor all the same (Kueue, spec 6.1).
    """
    asks = []
    for index, pod_set in enumerate(pending.workload.pod_sets):
        count = pod_set.count if counts is None else counts[index]
        requests = {
            resource: amount * count
            for resource, amount in pod_set.requests.items()
            if zeros or amount * count
        }
        if PODS in covers(queue):
            requests[PODS] = count * SCALE
        asks.append(
            PodSetAsk(pod_set.name, count, requests, pending.obstacles[index], pod_set.group)
        )
    return tuple(asks)


def together(asks: tuple[PodSetAsk, ...]) -> Iterator[tuple[PodSetAsk, ...]]:
    """Yield the pod sets that take flavors together, in the order of their first members."""
    if len(asks) == 1:
        yield asks
        return
    done: set[str] = set()
    for each in asks:
        if each.group is None:
            yield (each,)
        elif each.group not in done:
            done.add(each.group)
            yield tuple(other for other in asks if other.group == each.group)
