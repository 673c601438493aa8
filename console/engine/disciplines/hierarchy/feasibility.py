"""
Whether a pending workload can ever start: which bounds it exceeds even if nothing else runs.

The answer depends on the config and on the nodes that clusters report, so that it holds until one
of them changes. A workload starts with its first pod, unless it is a gang that fails after its
timeout: those pods have to fit together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from console.engine.disciplines.empty_nodes import (
    EmptyNodes,
    closest,
    fits,
    pods_on,
    too_many_pods,
)
from console.engine.disciplines.hierarchy.application_builder import is_gang, is_hard_gang
from console.engine.disciplines.hierarchy.applications import Application, Ask
from console.engine.disciplines.hierarchy.live_partition import LivePartition
from console.engine.disciplines.hierarchy.requests import scaled
from console.engine.disciplines.hierarchy.resources import NOTHING, Resources, is_zero, plus, times
from console.engine.disciplines.hierarchy.users import Level
from console.engine.model.exceeded import BoundKind, Exceeded
from console.engine.model.workload import PodSet, Workload


class Feasibility:
    """The bounds of one partition: those of its config, and its *nodes*."""

    def __init__(self, partition: LivePartition, nodes: EmptyNodes) -> None:
        self._partition, self._nodes = partition, nodes

    def exceeded(self, workload: Workload, app: Application) -> tuple[Exceeded, ...]:
        """
        Return the bounds that keep the pending *workload* from ever starting; empty: none does.

        *app* stands for it. Maxima of queues come first, from the leaf upwards, then limits of its
        user and group, then nodes. Without any nodes, only the config counts.
        """
        pod_sets = {each.name: each for each in workload.pod_sets}
        if is_gang(workload) and is_hard_gang(workload):
            unit = [(ask, pod_sets[ask.key].minimum) for ask in app.asks]
            return tuple(self._of_pods(app, [each for each in unit if each[1]], pod_sets))
        first: tuple[Exceeded, ...] = ()
        for ask in app.asks:
            found = tuple(self._of_pods(app, [(ask, 1)], pod_sets))
            if not found:
                return ()
            first = first or found
        return first

    def _of_pods(
        self, app: Application, unit: list[tuple[Ask, int]], pod_sets: dict[str, PodSet]
    ) -> Iterator[Exceeded]:
        """Yield the bounds that pods exceed which start together."""
        amount: Resources = NOTHING
        for ask, count in unit:
            amount = plus(amount, times(ask.resources, count))
        pods = sum(count for _, count in unit)
        yield from self._of_queues(app, amount, pods)
        for levels in self._partition.users.levels(app):
            for level in levels:
                yield from self._of_level(level, amount, pods)
        if not len(self._nodes):
            return
        is_exceeded = False
        for ask, count in unit:
            for fact in self._of_nodes(ask, count, pod_sets[ask.key]):
                is_exceeded = True
                yield fact
        if len(unit) > 1 and not is_exceeded:
            yield from self._of_all_nodes(amount, pods)

    def _of_queues(self, app: Application, amount: Resources, pods: int) -> Iterator[Exceeded]:
        for queue in app.queue.up:
            # The maximum of a root is what its nodes offer now.
            if queue.parent is not None:
                yield from _over(
                    BoundKind.MAXIMUM,
                    self._partition.full_name(queue),
                    "",
                    queue.queue.maximum or NOTHING,
                    amount,
                    pods,
                )

    def _of_level(self, level: Level, amount: Resources, pods: int) -> Iterator[Exceeded]:
        limit = level.bound.resources if level.bound is not None else None
        if limit is None or is_zero(limit):
            return
        kind = BoundKind.GROUP_LIMIT if level.is_group else BoundKind.USER_LIMIT
        name = self._partition.partition.full_name(level.path)
        yield from _over(kind, name, level.holder, limit, amount, pods)

    def _of_nodes(self, ask: Ask, count: int, pod_set: PodSet) -> Iterator[Exceeded]:
        kinds = self._nodes.accepting(pod_set)
        if not kinds:
            yield self._nodes.constraints_exceeded()
            return
        if not any(fits(ask.resources, kind) for kind in kinds):
            yield from closest(ask.resources, kinds, scaled)
            return
        possible = sum(
            kind.number * pods_on(ask.resources, kind, count)
            for kind in kinds
            if fits(ask.resources, kind)
        )
        if possible < count:
            yield too_many_pods(count, possible)

    def _of_all_nodes(self, amount: Resources, pods: int) -> Iterator[Exceeded]:
        offered = {name: self._nodes.total(name) for name in amount}
        yield from _over(BoundKind.NODES, "", "", offered, amount, pods)


def _over(
    kind: BoundKind,
    name: str,
    holder: str,
    bounds: Resources,
    amount: Resources,
    pods: int,
) -> Iterable[Exceeded]:
    for resource, requested in amount.items():
        if resource in bounds and requested > bounds[resource]:
            yield Exceeded(
                kind=kind,
                name=name,
                holder=holder,
                resource=resource,
                requested=scaled(resource, requested),
                most=scaled(resource, max(0, bounds[resource])),
                pods=pods,
            )
