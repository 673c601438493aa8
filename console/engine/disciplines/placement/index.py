"""
Index of free capacity: which clusters and nodes fit a request, kept up to date between decisions.

A job goes to the first nodes that fit, in the order of their report, so the index keeps for each
request and cluster the first node that may still fit. Nodes before it become interesting again
only if some of their capacity is released. A decision therefore costs about as much as there are
clusters, however many nodes they have.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from console.engine.disciplines.placement import plugin
from console.engine.disciplines.placement.feasibility import EmptyCluster
from console.engine.disciplines.placement.fit import (
    Need,
    amounts_of,
    free_amounts,
    is_device,
    lacking,
    need_of,
    replicas_that_fit,
    score_of,
)
from console.engine.disciplines.placement.spec import (
    GpuRule,
    PlacementSpec,
    Reserve,
)
from console.engine.live.node_usage import NodeKey, NodeUsage
from console.engine.model.inventory import Cluster, Inventory

_NOTHING: Final[Mapping[str, int]] = MappingProxyType({})

#: Maximum number of releases that a cluster remembers for requests that were not asked since.
_MOST_RELEASES: Final = 1000

#: Maximum number of different requests with a remembered position.
_MOST_NEEDS: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortage:
    """Why no node of a cluster fits one replica: the node that comes closest, and what it lacks."""

    #: None: it was not determined, or the cluster has no node that accepts pods.
    node: str | None = None
    #: Thousandths by resource.
    lacks: Mapping[str, int] = field(default_factory=dict)
    #: Whether some node would fit one replica if no job ran there.
    could_fit: bool = False


@dataclass(slots=True)
class _Position:
    """Where the search for a node of one cluster continues for one request."""

    first: int
    #: Number of releases of the cluster that are considered in `first`.
    seen: int
    #: `ClusterCapacity.changes` when `first` was last compared with the request.
    checked: int = -1
    #: Why no node fits, without and with the closest node; None: one fits, or it was not asked.
    shortage: Shortage | None = None
    details: Shortage | None = None


class ClusterCapacity:
    """The free capacity of one cluster."""

    def __init__(
        self,
        cluster: Cluster,
        labels: Mapping[str, str],
        usage: NodeUsage | None,
        rule: GpuRule,
    ) -> None:
        self.name = cluster.name
        self.labels = labels
        self.is_ready = cluster.is_ready
        self.reported = cluster
        self._rule = rule
        self._usage = usage
        self._nodes = tuple(each for each in cluster.nodes if each.is_ready)
        self._offered = [amounts_of(each.offered, each.labels) for each in self._nodes]
        self._at = {each.name: index for index, each in enumerate(self._nodes)}
        self._empty: EmptyCluster | None = None
        #: Different offers of nodes, of which a cluster has few.
        self._kinds = tuple(
            dict(each) for each in {tuple(sorted(offered.items())) for offered in self._offered}
        )
        self._free = [dict(each) for each in self._offered]
        #: Capacity score in thousandths: CPUs, and each accelerator as ten.
        self.score = 0
        self._scores = [0] * len(self._nodes)
        #: Increases with every change of the usage of a node.
        self.changes = 0
        self._positions: dict[Need, _Position] = {}
        #: Indexes of nodes with released capacity, in order.
        self._releases: list[int] = []
        #: The nodes as plugins see them, each with the free amounts for which it was created.
        self._node_views = [(_NOTHING, plugin.Node(name=each.name)) for each in self._nodes]
        self._view: plugin.Cluster | None = None
        self._view_at = -1
        self._view_without_free: plugin.Cluster | None = None
        for index in range(len(self._nodes)):
            self._update(index)
        self._releases.clear()

    def view(self, *, with_free: bool) -> plugin.Cluster:
        """Return the cluster as plugins see it: immutable, *with_free* amounts or without."""
        if not with_free:
            if self._view_without_free is None:
                self._view_without_free = self._viewed(
                    tuple(self._node_view(index, _NOTHING) for index in range(len(self._nodes)))
                )
            return self._view_without_free
        if self._view is None or self._view_at != self.changes:
            for index, free in enumerate(self._free):
                # The amounts of a node are replaced as a whole.
                if self._node_views[index][0] is not free:
                    self._node_views[index] = free, self._node_view(index, MappingProxyType(free))
            self._view = self._viewed(tuple(node for _, node in self._node_views))
            self._view_at = self.changes
        return self._view

    @property
    def empty(self) -> EmptyCluster:
        """The cluster as if nothing ran there."""
        if self._empty is None:
            self._empty = EmptyCluster(self.reported, self._rule)
        return self._empty

    def touch(self, node: str) -> bool:
        """Take over the usage of a node; return whether it has more capacity than before."""
        index = self._at.get(node)
        return index is not None and self._usage is not None and self._update(index)

    def fits(self, need: Need) -> bool:
        """Return whether some node fits one replica."""
        position = self._positions.get(need)
        if position is None or position.checked != self.changes:
            position = self._position(need)
        return position.first < len(self._free)

    def shortage(self, need: Need, *, with_node: bool) -> Shortage:
        """
        Return why no node fits one replica, which is known.

        *with_node* determines the closest node, for which all nodes are compared.
        """
        position = self._position(need)
        if with_node:
            if position.details is None:
                position.details = self._closest(need, self._free)
            return position.details
        if position.shortage is None:
            position.shortage = Shortage(could_fit=self._could_fit(need))
        return position.shortage

    def fits_on(self, need: Need, node: str) -> bool:
        """Return whether one replica fits on *node*."""
        index = self._at.get(node)
        return index is not None and bool(replicas_that_fit(need, self._free[index], self._rule, 1))

    def has_on(self, node: str, least: Mapping[str, int]) -> bool:
        """Return whether *node* may have *least*, in thousandths by resource."""
        index = self._at.get(node)
        if index is None:
            return False
        need, free = need_of(least), self._free[index]
        return all(
            free.get(resource, 0) >= amount
            for resource, amount in need.amounts
            if not is_device(resource)
        )

    def fill(self, need: Need, replicas: int) -> Iterator[tuple[str, int]]:
        """Yield nodes with the number of *replicas* that go there, without reserving anything."""
        left = replicas
        for index in range(self._position(need).first, len(self._free)):
            fitting = replicas_that_fit(need, self._free[index], self._rule, left)
            if fitting:
                yield self._nodes[index].name, fitting
                left -= fitting
                if not left:
                    return

    def lacking_for_another(self, need: Need, filled: Mapping[str, int]) -> Shortage:
        """Return what the closest node lacks for one more replica, after those in *filled*."""
        free = list(self._free)
        for node, count in filled.items():
            index = self._at[node]
            used = {name: amount * count for name, amount in need.amounts}
            free[index] = free_amounts(free[index], used, self._rule)
        return self._closest(need, free)

    def _viewed(self, nodes: tuple[plugin.Node, ...]) -> plugin.Cluster:
        labels = MappingProxyType(self.labels)
        return plugin.Cluster(name=self.name, labels=labels, nodes=nodes, gpu_rule=self._rule)

    def _node_view(self, index: int, free: Mapping[str, int]) -> plugin.Node:
        node = self._nodes[index]
        return plugin.Node(
            name=node.name,
            labels=MappingProxyType(dict(node.labels)),
            offered=MappingProxyType(self._offered[index]),
            free=free,
        )

    def _position(self, need: Need) -> _Position:
        position = self._positions.get(need)
        if position is None:
            if len(self._positions) >= _MOST_NEEDS:
                self._positions.clear()
            position = self._positions[need] = _Position(0, len(self._releases))
        elif position.seen < len(self._releases):
            earliest = min(self._releases[position.seen :])
            position.seen = len(self._releases)
            if earliest < position.first:
                position.first = earliest
            position.shortage = position.details = None
        if position.checked != self.changes:
            position.checked = self.changes
            free, rule = self._free, self._rule
            if rule is GpuRule.SKYSHIFT_HEAD and need.devices:
                # With less capacity, a request may be dropped that did not fit before.
                position.first = 0
                position.shortage = position.details = None
            while position.first < len(free) and not replicas_that_fit(
                need, free[position.first], rule, 1
            ):
                position.first += 1
        return position

    def _update(self, index: int) -> bool:
        """Compute the free capacity of a node; return whether it increased."""
        offered, before = self._offered[index], self._free[index]
        used: Mapping[str, int] = {}
        if self._usage is not None:
            used = self._usage.of((self.name, self._nodes[index].name))
        free = free_amounts(offered, used, self._rule)
        self._free[index] = free
        self.changes += 1
        score = score_of(free)
        self.score += score - self._scores[index]
        self._scores[index] = score
        has_more = any(free.get(key, 0) > before.get(key, 0) for key in (*free, *before))
        if has_more:
            if len(self._releases) >= _MOST_RELEASES:
                self._releases.clear()
                self._positions.clear()
            self._releases.append(index)
        return has_more

    def _could_fit(self, need: Need) -> bool:
        """Return whether some node would fit one replica if no job ran there."""
        return any(replicas_that_fit(need, each, self._rule, 1) for each in self._kinds)

    def _closest(self, need: Need, all_free: Sequence[Mapping[str, int]]) -> Shortage:
        """Return the node that lacks the smallest part of *need*, by what nodes have free."""
        closest: tuple[float, str, Mapping[str, int]] | None = None
        wanted = dict(need.amounts)
        for index, free in enumerate(all_free):
            lacks = lacking(need, free, self._rule)
            part = sum(amount / max(1, wanted.get(key, amount)) for key, amount in lacks.items())
            if closest is None or part < closest[0]:
                closest = part, self._nodes[index].name, lacks
        if closest is None:
            return Shortage()
        return Shortage(node=closest[1], lacks=closest[2], could_fit=self._could_fit(need))


class CapacityIndex:
    """The free capacity of all clusters, in the order in which equal ones are preferred."""

    def __init__(self, spec: PlacementSpec, inventory: Inventory, usage: NodeUsage) -> None:
        self._spec = spec
        self._usage = usage if spec.reserve is Reserve.IMMEDIATE else None
        self.clusters: dict[str, ClusterCapacity] = {}
        #: Nodes with released capacity since the last call of `forget_releases`.
        self.released: dict[NodeKey, None] = {}
        #: Request -> the clusters of these nodes that fit one replica of it on them.
        self._fitting_released: dict[Need, tuple[str, ...]] = {}
        #: Whether clusters or their labels changed since then.
        self.has_new_inventory = True
        #: Increases when clusters or their labels change.
        self.labels_version = 0
        self.replace_inventory(inventory)

    def replace_inventory(self, inventory: Inventory) -> None:
        """Take over *inventory*; unchanged clusters keep what is known about them."""
        known = self.clusters
        reported = inventory.clusters
        names = (
            *(n for n in self._spec.clusters if n in reported),
            *(n for n in reported if n not in self._spec.clusters),
        )
        self.clusters = {}
        for name in names:
            before = known.get(name)
            if before is not None and before.reported is reported[name]:
                self.clusters[name] = before
            else:
                self.clusters[name] = ClusterCapacity(
                    reported[name],
                    self._spec.labels_of(name, reported[name].labels),
                    self._usage,
                    self._spec.gpu_rule,
                )
        self.has_new_inventory = True
        self.labels_version += 1

    def touch(self, nodes: Iterable[NodeKey]) -> None:
        """Take over the usage of *nodes*."""
        self._fitting_released.clear()
        for key in nodes:
            cluster = self.clusters.get(key[0])
            # A cluster that accepts no pods is a change of the inventory when it does again.
            if cluster is not None and cluster.touch(key[1]) and cluster.is_ready:
                self.released[key] = None

    def forget_releases(self) -> None:
        """Record that every pending job had a turn since the last release."""
        self.released.clear()
        self._fitting_released.clear()
        self.has_new_inventory = False

    def may_have_released(self, requests: Iterable[Mapping[str, int]]) -> bool:
        """Return whether a node with released capacity may have one of *requests*."""
        return any(
            self.clusters[cluster].has_on(node, least)
            for least in requests
            for cluster, node in self.released
            if cluster in self.clusters
        )

    def released_clusters(self, need: Need) -> tuple[str, ...]:
        """Return the clusters with a node of released capacity that fits one replica of *need*."""
        found = self._fitting_released.get(need)
        if found is None:
            found = self._fitting_released[need] = tuple(
                dict.fromkeys(
                    name
                    for name, node in self.released
                    if name in self.clusters and self.clusters[name].fits_on(need, node)
                )
            )
        return found

    @contextmanager
    def trial(self) -> Iterator[_Trial]:
        """Undo, at the end of the context, what is charged in it."""
        released = dict(self.released)
        trial = _Trial(self, self._usage)
        try:
            yield trial
        finally:
            trial.undo()
            # The capacity is the same as before.
            self.released = released


class _Trial:
    """Pods that are charged only within `CapacityIndex.trial`."""

    def __init__(self, index: CapacityIndex, usage: NodeUsage | None) -> None:
        self._index = index
        self._usage = usage
        self._charged: list[tuple[NodeKey, dict[str, int]]] = []

    def charge(self, key: NodeKey, amounts: Mapping[str, int]) -> None:
        """Charge *amounts* to a node."""
        if self._usage is not None:
            self._charged.append((key, dict(amounts)))
            self._usage.charge(key, amounts)
            self._index.touch([key])

    def undo(self) -> None:
        """Release what was charged."""
        for key, amounts in reversed(self._charged):
            assert self._usage is not None
            self._usage.charge(key, {name: -amount for name, amount in amounts.items()})
            self._index.touch([key])
