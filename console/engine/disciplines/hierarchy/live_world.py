"""
The partitions of a live state, kept between cycles: queues, users, nodes, and what runs there.

`LiveWorld.take_over` compares the running workloads and the pending classes with those that it
knows, so that a cycle costs by the number of classes, and not by that of pending workloads.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

from console.engine.disciplines.empty_nodes import EmptyNodes
from console.engine.disciplines.hierarchy.application_builder import (
    ApplicationBuilder,
    gang_expiry,
    is_gang,
)
from console.engine.disciplines.hierarchy.applications import Application, Ask, NodeUsage
from console.engine.disciplines.hierarchy.feasibility import Feasibility
from console.engine.disciplines.hierarchy.live_partition import LivePartition
from console.engine.disciplines.hierarchy.requests import PODS, in_queue_units
from console.engine.disciplines.hierarchy.resources import NOTHING, Resources, plus, times
from console.engine.disciplines.hierarchy.spec import (
    DEFAULT_PARTITION,
    POOL,
    ROOT,
    HierarchySpec,
    Limit,
    hierarchy_of,
)
from console.engine.disciplines.hierarchy.tree import RuntimeTree, limits_of
from console.engine.disciplines.hierarchy.users import UserUsage
from console.engine.live.pod_changes import is_on_clusters
from console.engine.live.running import Running
from console.engine.model.decision import Place, PodSetAssignment
from console.engine.model.exceeded import Exceeded
from console.engine.model.inventory import Inventory, Node
from console.engine.model.nodes import required_node
from console.engine.model.workload import NodeConstraints, PodSet, constraints_of
from console.engine.pending.pending_class import Pending, PendingClass

if TYPE_CHECKING:
    from console.engine.state import State

#: The label of a node with the name of its partition.
PARTITION_LABEL: Final = "si/node-partition"
#: What a node offers of a resource that it does not report and that queues limit: pods.
_MANY: Final = 2**31
#: The most classes that are remembered, whether they still have members or not.
_MOST_CLASSES: Final = 50_000


@dataclass(slots=True)
class _Known:
    """A running workload as it is counted."""

    #: A change of its pods replaces the object; an eviction does not.
    running: Running
    is_evicting: bool
    app: Application
    partition: LivePartition
    #: Allocations on no node: another scheduler has started it, or its node is gone.
    unplaced: Resources
    has_lost: bool


class LiveWorld:
    """What the discipline derives from a state and keeps between cycles."""

    def __init__(self, state: State) -> None:
        self.spec: HierarchySpec = hierarchy_of(state.policy)
        self.builder = ApplicationBuilder(
            counts_pods=any(PODS in names for names in self._limited_names()),
            allowed=self._allowed_for,
            required=self._required_by,
        )
        shared = UserUsage()
        is_shared = self.spec.compatibility.shared_user_usage
        self.partitions = {
            name: LivePartition(
                partition=partition,
                tree=RuntimeTree.build(self.spec, name),
                users=shared if is_shared else UserUsage(),
                builder=self.builder,
                compatibility=self.spec.compatibility,
            )
            for name, partition in self.spec.partitions.items()
        }
        self._set_limits()
        self._has_looked_for_excess = False
        self.known: dict[str, _Known] = {}
        self._inventory: Inventory | None = None
        #: By key of a node, the names of cluster and node.
        self.places: dict[str, tuple[str, str]] = {}
        self._nodes: dict[str, tuple[LivePartition, NodeUsage]] = {}
        self._allowed: dict[NodeConstraints, frozenset[str] | None] = {}
        #: By name of the partition.
        self._feasibility: dict[str, Feasibility] = {}
        #: By class, the bounds that its members exceed even if nothing else runs.
        self._exceeded: dict[str, tuple[Exceeded, ...]] = {}
        #: Ids of running workloads with pods without a place.
        self.growing: dict[str, None] = {}
        #: Increases with every change of running workloads and nodes.
        self.version = 0
        #: The `moment` of the last cycle that decided nothing.
        self.quiet_at: object = None

    # The config

    def _set_limits(self) -> None:
        compatibility = self.spec.compatibility
        limits: dict[str, tuple[Limit, ...]] = {}
        for partition in self.partitions.values():
            found = limits_of(compatibility, partition.tree.queues.values())
            limits = limits | found if compatibility.shared_user_usage else found
            partition.users.set_limits(limits, ())

    def _limited_names(self) -> Iterator[Iterable[str]]:
        for queue in self.spec.queues.values():
            yield queue.maximum or NOTHING
            yield queue.guaranteed or NOTHING
            for limit in queue.limits:
                yield limit.resources or NOTHING
            if queue.template is not None:
                yield queue.template.maximum or NOTHING
                yield queue.template.guaranteed or NOTHING

    def partition_of(self, queue: str) -> LivePartition | None:
        """
        Return the partition of a queue of the policy, or one that a rule creates.

        None: it does not exist, or the queue is one of an earlier policy without a root.
        """
        partition, path = self.spec.split(queue)
        if partition is None or not f"{path}.".startswith(f"{ROOT}."):
            return None
        return self.partitions.get(partition.name)

    # The state

    def take_over(self, state: State, without: Container[str] = ()) -> None:
        """Take over what has changed in *state* since the last call, leaving out some workloads."""
        if state.inventory is not self._inventory:
            self._take_nodes(state.inventory)
        for uid in [uid for uid in self.known if uid not in state.running]:
            self._remove(uid)
        for uid, running in state.running.items():
            if uid in without:
                continue
            found = self.known.get(uid)
            if found is not None:
                if found.running is running and found.is_evicting is running.evicting:
                    continue
                self._remove(uid)
            self._add(uid, running)
        for partition in self.partitions.values():
            partition.count_pending(state)
            partition.tidy()
            partition.now = partition.scheduler.now = state.now
        if not self._has_looked_for_excess:
            # A maximum may have been lowered by the policy, or before the state was rebuilt.
            self._has_looked_for_excess = True
            for partition in self.partitions.values():
                partition.begin_quota_delays(state.now)

    def take_lines(self, partition: LivePartition, state: State) -> None:
        """Give the scheduler of a partition all workloads that ask for pods."""
        growing = []
        for uid in self.growing:
            known = self.known[uid]
            queue = state.queues.get(known.running.queue or "")
            if known.partition is partition and queue is not None and queue.barrier is None:
                growing.append(known.app)
        partition.take_lines(state, growing)

    def moment(self, state: State) -> object:
        """Return a value that differs when a cycle may have another result."""
        queues = state.queues.items()
        classes = frozenset((name, key) for name, queue in queues for key in queue.pending.classes)
        waiting = frozenset(uid for _, queue in queues for uid in queue.preemptors)
        barred = frozenset(name for name, queue in queues if queue.barrier is not None)
        return self.version, classes, waiting, barred

    def wakeups(self, state: State) -> Iterator[int]:
        """Yield the times, in milliseconds, at which time alone may lead to a decision."""
        for changes in [each.quota_changes for each in self.partitions.values()]:
            yield from changes.starts.values()
        for uid in self.growing:
            known = self.known[uid]
            if known.partition.partition.preempts:
                delay = known.app.queue.queue.settings.preemption_delay
                for ask in known.app.asks:
                    yield ask.submitted + delay
        yield from self._pending_wakeups(state)

    def _pending_wakeups(self, state: State) -> Iterator[int]:
        for name, queue in state.queues.items():
            partition = self.partition_of(name)
            if partition is None or not queue.pending.classes:
                continue
            delay = partition.usage(name).queue.settings.preemption_delay
            active = (
                each
                for each in queue.pending.classes.values()
                if each.head.workload.inactive is None
            )
            for cls in active:
                if partition.partition.preempts:
                    yield cls.head.workload.pending_since + delay
                if is_gang(cls.head.workload):
                    for each in cls:
                        expiry = gang_expiry(each)
                        if expiry is not None:
                            yield expiry

    def place_on(self, key: str) -> Place:
        """Return the place of one pod on the node with a key."""
        cluster, node = self.places[key]
        return Place(count=1, cluster=cluster, node=node, flavor=POOL)

    def is_lost(self, place: Place) -> bool:
        """Return whether pods in *place* are gone with their node or cluster."""
        return _key(place.cluster, place.node) not in self._nodes

    def exceeded(
        self,
        pending: Pending,
        app: Application,
        partition: LivePartition,
        cls: PendingClass | None = None,
    ) -> tuple[Exceeded, ...]:
        """
        Return the bounds because of which a pending workload can never start; empty: it can.

        *app* stands for it, and is one of *cls*, if that is given: then the answer is remembered.
        """
        found = None if cls is None else self._exceeded.get(cls.key)
        if found is None:
            found = self._feasibility_of(partition).exceeded(pending.workload, app)
            if cls is not None:
                if len(self._exceeded) > _MOST_CLASSES:
                    self._exceeded.clear()
                self._exceeded[cls.key] = found
        return found

    def _feasibility_of(self, partition: LivePartition) -> Feasibility:
        name = partition.partition.name
        found = self._feasibility.get(name)
        if found is None:
            clusters = () if self._inventory is None else self._inventory.clusters.values()
            nodes = EmptyNodes(clusters, _capacity, lambda node: _partition_name(node) == name)
            found = self._feasibility[name] = Feasibility(partition, nodes)
        return found

    def adopt(self, running: Running, app: Application, partition: LivePartition) -> None:
        """Count *app* as what is known of *running*, which has just got its pods."""
        uid = running.workload.id
        self.known[uid] = _Known(running, False, app, partition, NOTHING, has_lost=False)
        partition.scheduler.applications[app.queue][uid] = app
        # A preempting workload was counted alone.
        partition.waiting.pop((partition.full_name(app.queue), uid), None)
        for ask in {*app.asks, *(each.ask for each in app.allocations.values())}:
            ask.submitted = running.started or 0
        self.version += 1
        if app.asks:
            self.growing[uid] = None
        else:
            self.growing.pop(uid, None)

    # Nodes

    def _take_nodes(self, inventory: Inventory) -> None:
        if self._inventory is not None and inventory.clusters == self._inventory.clusters:
            self._inventory = inventory
            return
        for uid in list(self.known):
            self._remove(uid)
        self._inventory = inventory
        self.places.clear()
        self._nodes.clear()
        self._allowed.clear()
        self._feasibility.clear()
        self._exceeded.clear()
        offered: dict[str, list[NodeUsage]] = {name: [] for name in self.partitions}
        for cluster in inventory.clusters.values():
            if cluster.has_failed:
                continue
            for node in cluster.nodes:
                name = _partition_name(node)
                if name not in offered:
                    continue
                key = _key(cluster.name, node.name)
                capacity = _capacity(node)
                usage = NodeUsage(
                    key, capacity, accepts=cluster.is_ready and node.is_ready, node=node
                )
                offered[name].append(usage)
                self.places[key] = cluster.name, node.name
                self._nodes[key] = self.partitions[name], usage
        for name, nodes in offered.items():
            partition = self.partitions[name]
            partition.scheduler.nodes.replace(nodes)
            partition.tree.set_root_maximum(partition.scheduler.nodes.total)
            partition.scheduler.root.forget_maximum()
        self.version += 1

    def _allowed_for(self, pod_set: PodSet) -> frozenset[str] | None:
        """Return the nodes that a pod set may use; None: all of them."""
        constraints = constraints_of(pod_set)
        if constraints not in self._allowed:
            nodes = frozenset(
                key
                for key, (_, usage) in self._nodes.items()
                if usage.node is not None and usage.node.accepts(pod_set)
            )
            self._allowed[constraints] = None if len(nodes) == len(self._nodes) else nodes
        return self._allowed[constraints]

    def _required_by(self, pod_set: PodSet) -> str | None:
        """Return the node that a pod set names; None: it names none, or one of several clusters."""
        if required_node(pod_set.affinity) is None:
            return None
        allowed = self._allowed_for(pod_set)
        nodes = tuple(self._nodes if allowed is None else allowed)
        return nodes[0] if len(nodes) == 1 else None

    # Running workloads

    def _add(self, uid: str, running: Running) -> None:
        partition = None if running.queue is None else self.partition_of(running.queue)
        if partition is not None and running.queue is not None:
            queue = partition.usage(running.queue)
        else:
            partition = self._partition_of_nodes(running)
            if partition is None:
                return
            queue = partition.outside
        app = self.builder.application(running.workload, queue)
        scheduler = partition.scheduler
        scheduler.applications[queue][app.id] = app
        unplaced: Resources = NOTHING
        has_lost = False
        for assigned, pod_set in _assigned(running):
            ask = self.builder.ask(
                app,
                running.workload,
                pod_set,
                priority=running.priority,
                submitted=running.started or 0,
                count=0,
            )
            if not is_on_clusters(assigned):
                # Another scheduler has started it: it counts for its queue alone.
                unplaced = plus(unplaced, times(ask.resources, assigned.count))
                continue
            lost = self._add_pods(partition, ask, assigned, is_evicting=running.evicting)
            has_lost |= lost > 0
            ask.pending = pod_set.count - assigned.count + lost
            if ask.pending and not running.evicting and queue is not partition.outside:
                app.add(ask)
        if unplaced:
            app.allocated = plus(app.allocated, unplaced)
            queue.change_allocated(unplaced)
            partition.users.charge(app, unplaced)
        if not running.evicting:
            scheduler.run(app)
        self.known[uid] = _Known(running, running.evicting, app, partition, unplaced, has_lost)
        if app.asks:
            self.growing[uid] = None
        self.version += 1

    def _partition_of_nodes(self, running: Running) -> LivePartition | None:
        """Return the partition of a node on which a workload runs; None: it runs on none."""
        keys = (
            _key(place.cluster, place.node)
            for assigned in running.assignment
            for place in (*assigned.places, *assigned.stopping)
        )
        return next((self._nodes[key][0] for key in keys if key in self._nodes), None)

    def _add_pods(
        self,
        partition: LivePartition,
        ask: Ask,
        assigned: PodSetAssignment,
        *,
        is_evicting: bool,
    ) -> int:
        """Count the pods of a pod set on their nodes; return how many have lost their node."""
        lost = 0
        for places, is_stopping in ((assigned.places, False), (assigned.stopping, True)):
            for place in places:
                found = self._nodes.get(_key(place.cluster, place.node))
                if found is None or found[0] is not partition:
                    lost += 0 if is_stopping else place.count
                    continue
                for _ in range(place.count):
                    allocation = partition.scheduler.add_running(ask, found[1])
                    if is_stopping or is_evicting:
                        partition.scheduler.mark((allocation,))
        return lost

    def _remove(self, uid: str) -> None:
        found = self.known.pop(uid)
        self.growing.pop(uid, None)
        app, scheduler = found.app, found.partition.scheduler
        scheduler.remove(app)
        if found.unplaced:
            app.allocated = NOTHING
            app.queue.change_allocated(times(found.unplaced, -1))
            found.partition.users.discharge(app, found.unplaced, ends=True)
        del scheduler.applications[app.queue][app.id]
        self.version += 1


def _partition_name(node: Node) -> str:
    return node.labels.get(PARTITION_LABEL, DEFAULT_PARTITION)


def world_of(state: State) -> LiveWorld:
    """Return the world of *state*, up to date."""
    world = cast(LiveWorld | None, state.derived)
    if world is None:
        world = state.derived = LiveWorld(state)
    world.take_over(state)
    return world


def _assigned(running: Running) -> Iterator[tuple[PodSetAssignment, PodSet]]:
    by_name = {each.name: each for each in running.workload.pod_sets}
    for assigned in running.assignment:
        pod_set = by_name.get(assigned.name)
        if pod_set is not None:
            yield assigned, pod_set


def _capacity(node: Node) -> dict[str, int]:
    """Return what a node offers, in the units of queues."""
    capacity = in_queue_units(node.offered)
    capacity.setdefault(PODS, _MANY)
    return capacity


def _key(cluster: str | None, node: str | None) -> str:
    return f"{cluster}/{node}"
