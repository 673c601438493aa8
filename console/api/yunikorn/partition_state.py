"""The queues of a partition with what is used and requested in them, from stored sums."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from console.api.yunikorn.allocations import missing_pods, requested_by, used_by
from console.api.yunikorn.shapes import amounts_of_usage
from console.capacity.queries.kept_inventory import present_inventory
from console.engine.disciplines.hierarchy.busy_queues import accounts_of, place_of, tree_with
from console.engine.disciplines.hierarchy.live_world import PARTITION_LABEL
from console.engine.disciplines.hierarchy.queue_usage import QueueUsage
from console.engine.disciplines.hierarchy.requests import in_queue_units
from console.engine.disciplines.hierarchy.resources import NOTHING, Resources, plus, times
from console.engine.disciplines.hierarchy.spec import DEFAULT_PARTITION, HierarchySpec
from console.engine.model.history import Live
from console.engine.model.inventory import Cluster, Inventory, Node
from console.orgs.models import Organization
from console.workloads.models import State, Workload
from console.workloads.queries.history import live_of
from console.workloads.queries.placed import changing_pods
from console.workloads.queries.queue_pending import QueuePending, pending_by_queue


@dataclass(frozen=True, slots=True)
class PartitionNode:
    """A node of a partition, with its cluster."""

    cluster: Cluster
    node: Node


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionState:
    """The state of one partition."""

    name: str
    nodes: tuple[PartitionNode, ...]
    #: By path, each queue after the one above it; with created queues and draining ones.
    queues: Mapping[str, QueueUsage]
    #: The paths of the queues that the active config lacks and no rule creates.
    draining: frozenset[str]
    #: Running and pending workloads of each queue that has some, by full name.
    counts: Mapping[str, tuple[int, int]]

    @property
    def root(self) -> QueueUsage:
        """The queue above all others."""
        return next(iter(self.queues.values()))

    def full_name(self, path: str) -> str:
        """Return the name of a queue in the config."""
        return path if self.name == DEFAULT_PARTITION else f"{self.name}:{path}"


class OrganizationState:
    """The state of all partitions of an organization; each part is read when it is needed."""

    def __init__(self, org: Organization, spec: HierarchySpec) -> None:
        self._org = org
        self._spec = spec

    @cached_property
    def inventory(self) -> Inventory:
        """The clusters and their nodes."""
        return present_inventory(self._org)

    @cached_property
    def _live(self) -> Live:
        return live_of(self._org)

    @cached_property
    def _pending(self) -> Mapping[str, QueuePending]:
        return pending_by_queue(self._org)

    @cached_property
    def _changing(self) -> Mapping[str, Sequence[Workload]]:
        found: dict[str, list[Workload]] = {}
        for workload in changing_pods(self._org):
            found.setdefault(workload.queue or "", []).append(workload)
        return found

    def nodes(self, partition: str) -> tuple[PartitionNode, ...]:
        """Return the nodes of a partition, those of failed clusters left out."""
        return tuple(
            PartitionNode(cluster, node)
            for cluster in self.inventory.clusters.values()
            if not cluster.has_failed
            for node in cluster.nodes
            if node.labels.get(PARTITION_LABEL, DEFAULT_PARTITION) == partition
        )

    def partition(self, name: str, *, with_requests: bool = False) -> PartitionState:
        """
        Return the state of the partition *name* of the active config.

        Queues have what is requested in them, and what has to stop, only *with_requests*.
        """
        nodes = self.nodes(name)
        live = self._live
        busy = dict.fromkeys((*live.running, *live.pending, *live.usage))
        places = {each: place_of(self._spec, each) for each in busy}
        here = {each: place[1] for each, place in places.items() if place and place[0] == name}
        tree, draining = tree_with(self._spec, name, here)
        tree.set_root_maximum(_sum_of(nodes) or None)
        queues = accounts_of(tree)
        for each, path in here.items():
            self._count_used(queues[path], each)
            if with_requests:
                self._count_requested(queues[path], each)
        return PartitionState(
            name=name,
            nodes=nodes,
            queues=queues,
            draining=draining,
            counts={each: (live.running.get(each, 0), live.pending.get(each, 0)) for each in here},
        )

    def _count_used(self, usage: QueueUsage, name: str) -> None:
        """Add what the workloads of a queue use to it and to those above it."""
        used = self._live.usage.get(name)
        if used:
            usage.change_allocated(amounts_of_usage(used))
        for each in usage.up:
            each.running += self._live.running.get(name, 0)

    def _count_requested(self, usage: QueueUsage, name: str) -> None:
        """Add what the workloads of a queue request, and what has to stop."""
        pending = self._pending.get(name)
        if pending is not None:
            amounts: Resources = in_queue_units(pending.requests)
            for priority, count in pending.counts.items():
                usage.change_pending(amounts, count, priority)
                amounts = NOTHING
        for workload in self._changing.get(name, ()):
            if workload.state == State.PREEMPTING:
                usage.change_preempting(used_by(workload))
                continue
            missing = missing_pods(workload)
            if missing:
                count = sum(pods for _, pods in missing)
                usage.change_pending(requested_by(missing), count, workload.priority or 0)


def _sum_of(nodes: Iterable[PartitionNode]) -> Resources:
    """Return what nodes offer together; most are alike, so each kind is converted once."""
    kinds: dict[tuple[tuple[str, int], ...], int] = {}
    for each in nodes:
        key = tuple(each.node.offered.items())
        kinds[key] = kinds.get(key, 0) + 1
    total: Resources = NOTHING
    for key, count in kinds.items():
        total = plus(total, times(in_queue_units(dict(key)), count))
    return total
