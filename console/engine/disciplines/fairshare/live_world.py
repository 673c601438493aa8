"""
The nodes and running workloads of a live state in the form of sessions, kept between cycles.

`LiveWorld.take_over` compares the running workloads with those that it knows, so that a cycle
costs by the number of running workloads and queues, and not by that of pending ones.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from console.engine.disciplines.fairshare.fair_share import FairShares, FairShareTree
from console.engine.disciplines.fairshare.feasibility import Feasibility
from console.engine.disciplines.fairshare.gangs import Pod, PodGroup, PodState, requested
from console.engine.disciplines.fairshare.min_runtime import MinRuntimes
from console.engine.disciplines.fairshare.node_room import NodeRoom, Rooms, least_device_memory
from console.engine.disciplines.fairshare.reasons import PODS_LOST
from console.engine.disciplines.fairshare.requests import need_of
from console.engine.disciplines.fairshare.resources import (
    NOTHING,
    Amounts,
    minus,
    plus,
    times,
)
from console.engine.disciplines.fairshare.session import Job, Session
from console.engine.disciplines.fairshare.spec import (
    DECLARED_CLUSTER,
    POOL,
    FairQueue,
    fairshare_of,
)
from console.engine.disciplines.fairshare.standing import Standing
from console.engine.disciplines.fairshare.tree import QueueTree
from console.engine.disciplines.fairshare.turn_order import turn_path
from console.engine.disciplines.fairshare.usage_window import current_usage
from console.engine.disciplines.fairshare.workload_order import is_preemptible
from console.engine.live.live_tree import AnyQueue
from console.engine.live.pod_changes import is_on_clusters
from console.engine.live.running import Running
from console.engine.model.decision import Place
from console.engine.model.exceeded import Exceeded
from console.engine.model.inventory import Cluster, Inventory
from console.engine.model.preemption_loops import is_loop
from console.engine.model.workload import (
    NodeConstraints,
    PodSet,
    Workload,
    constraints_of,
)
from console.engine.pending.pending_class import Pending, PendingClass

if TYPE_CHECKING:
    from console.engine.state import State


#: The most classes that are remembered, whether they still have members or not.
_MOST_CLASSES: Final = 50_000


class _Known(NamedTuple):
    """A running workload as it is counted on nodes and queues."""

    #: A change of its pods replaces the object; an eviction does not.
    running: Running
    is_evicting: bool
    job: Job
    #: What its pods use that do not have to stop, and what those request that have no place yet.
    used: Amounts
    missing: Amounts
    has_lost: bool


class LiveWorld:
    """What the discipline derives from a state and keeps between cycles."""

    def __init__(self, state: State) -> None:
        self.spec = fairshare_of(state.policy)
        self._fair_shares = FairShareTree(self.spec.tree)
        self._paths = {
            name: turn_path(self.spec, name)
            for name in self.spec.tree.members
            if self.spec.takes_workloads(name)
        }
        self._known: dict[str, _Known] = {}
        #: Ids of running workloads with the reason PODS_LOST.
        self._announced_lost: dict[str, None] = {}
        self._protections: dict[str, Collection[int]] = {}
        self._runtimes = MinRuntimes(tree=self.spec.tree, settings=self.spec.settings)
        #: By queue, without those above it.
        self._used: dict[str, Amounts] = {}
        self._firm: dict[str, Amounts] = {}
        self._missing: dict[str, Amounts] = {}
        self._inventory: Inventory | None = None
        self.clusters: Mapping[str, Cluster] = {}
        self.rooms = Rooms()
        #: By key of a room, the names of cluster and node.
        self._places: dict[str, tuple[str, str]] = {}
        self.total: Amounts = NOTHING
        self._least_device_memory = 0
        self._allowed: dict[NodeConstraints, frozenset[str] | None] = {}
        #: By class, the requests of one member.
        self._class_requests: dict[str, Amounts] = {}
        self._class_jobs: dict[str, Job] = {}
        self._feasibility = Feasibility(self.spec, ())
        #: By class, the bounds that its members exceed even if nothing else runs.
        self._exceeded: dict[str, tuple[Exceeded, ...]] = {}
        self._last_shares: tuple[object, FairShares] | None = None
        #: Increases with every change of running workloads and nodes.
        self.version = 0
        #: The `moment` of the last cycle that decided nothing.
        self.quiet_at: object = None

    # The state

    def take_over(self, state: State) -> None:
        """Take over what has changed in *state* since the last call."""
        if state.inventory is not self._inventory:
            self._take_nodes(state.inventory)
        known = self._known
        for uid in [uid for uid in known if uid not in state.running]:
            self._remove(uid)
        for uid, running in state.running.items():
            found = known.get(uid)
            if found is not None:
                if found.running is running and found.is_evicting is running.evicting:
                    continue
                self._remove(uid)
            self._add(uid, running)

    def open(self, state: State) -> Session:
        """Return a session on the present state; it has to be rolled back before the next one."""
        requests = self._requests(state)
        shares = self._shares(requests, state)
        tree = self.spec.tree
        used = _summed_up(tree, self._used)
        firm = _summed_up(tree, self._firm)
        standings = {}
        for name in tree.members:
            queue = tree.queues[name]
            standings[name] = Standing(
                name=name,
                priority=queue.priority,
                created=queue.created,
                quota=queue.quota,
                limit=queue.limit,
                fair_share=shares.shares[name],
                used=used.get(name, NOTHING),
                used_non_preemptible=firm.get(name, NOTHING),
            )
        return Session(
            spec=self.spec,
            rooms=self.rooms,
            jobs={
                uid: each.job for uid, each in self._known.items() if each.job.queue in standings
            },
            shares=shares,
            total=self.total,
            now=state.now,
            moves_by_reclaim=False,
            may_take=self._may_take,
            standings=standings,
            paths=self._paths,
        )

    def moment(self, state: State) -> object:
        """Return a value that differs when a cycle may have another result."""
        queues = state.queues.items()
        classes = frozenset((name, key) for name, queue in queues for key in queue.pending.classes)
        # Preempting workloads keep their places from others while their queue has turns.
        waiting = frozenset(uid for _, queue in queues for uid in queue.preemptors)
        barred = frozenset(name for name, queue in queues if queue.barrier is not None)
        usage = current_usage(self.spec, state.usage_history, state.now)
        return self.version, self._requests(state), classes, waiting, barred, usage

    def pending_job(self, pending: Pending) -> Job:
        """Return a pending workload as a job."""
        route = pending.route
        assert route.queue is not None
        return self._job(pending.workload, route.queue, pending.priority)

    def class_job(self, cls: PendingClass) -> Job:
        """Return the first workload of a class as a job, which is the same object every time."""
        head = cls.head
        job = self._class_jobs.get(cls.key)
        if job is None:
            if len(self._class_jobs) > _MOST_CLASSES:
                self._class_jobs.clear()
            job = self._class_jobs[cls.key] = self.pending_job(head)
        job.name, job.created = head.workload.id, head.workload.sequence
        return job

    def exceeded(
        self, pending: Pending, job: Job, cls: PendingClass | None = None
    ) -> tuple[Exceeded, ...]:
        """
        Return the bounds because of which a pending workload can never start; empty: it can.

        *job* stands for it, and is one of *cls*, if that is given: then the answer is remembered.
        """
        if cls is None:
            return self._feasibility.exceeded(pending.workload, job)
        found = self._exceeded.get(cls.key)
        if found is None:
            if len(self._exceeded) > _MOST_CLASSES:
                self._exceeded.clear()
            found = self._feasibility.exceeded(pending.workload, job)
            self._exceeded[cls.key] = found
        return found

    def has_lost_pods(self, uid: str) -> bool:
        """Return whether pods of a running workload are gone with their node or cluster."""
        return self._known[uid].has_lost

    def returned(self) -> Iterator[Running]:
        """Yield the running workloads whose lost pods were announced, and are no longer lost."""
        for uid in self._announced_lost:
            known = self._known[uid]
            if not known.has_lost and not known.is_evicting:
                yield known.running

    def is_stale(self, job: Job, now: int) -> bool:
        """
        Return whether a workload has had fewer pods than its minimum for too long.

        Never if some of its pods have finished.
        """
        grace, known = self.spec.settings.stale_grace, self._known.get(job.name)
        if grace < 0 or known is None or known.running.short_since is None:
            return False
        if known.running.workload.has_finished_pods:
            return False
        return now >= known.running.short_since + grace

    def wakeups(self, state: State) -> Iterator[int]:
        """Yield the times, in milliseconds, at which time alone may lead to a decision."""
        settings = self.spec.settings
        if self.spec.settings.usage_window is not None and state.usage_history is not None:
            yield state.usage_history.expires_at
        for known in self._known.values():
            running = known.running
            if known.is_evicting:
                continue
            if running.short_since is not None and settings.stale_grace >= 0:
                yield running.short_since + settings.stale_grace
            # A protection matters to pending workloads alone.
            if running.started is not None and state.pending:
                for runtime in self._protections_of(known.job.queue):
                    yield running.started + runtime

    def _protections_of(self, queue: str) -> Collection[int]:
        if queue not in self._protections:
            self._protections[queue] = self._runtimes.all_of(queue)
        return self._protections[queue]

    def growing_jobs(self) -> Iterator[tuple[Running, Job]]:
        """Yield the running workloads that have pods without a place."""
        for each in self._known.values():
            if each.missing != NOTHING:
                yield each.running, each.job

    def place_of(self, pod: Pod) -> Place:
        """Return the place of one pod that has a node."""
        assert pod.node is not None
        cluster, node = self._places[pod.node]
        return Place(count=1, cluster=cluster, node=node, flavor=POOL, devices=pod.devices)

    def is_lost(self, place: Place) -> bool:
        """Return whether pods in *place* are gone with their node or cluster."""
        return _key(place.cluster, place.node) not in self.rooms

    # Internals

    def _may_take(self, job: Job, victim: Job) -> bool:
        """
        Return whether *job* may take room from *victim*.

        Not from a workload of which it has already stopped more than once in the same situation,
        nor from one of which pods start in this cycle: its turn comes in the next one.
        """
        known = self._known[victim.name]
        stops = known.running.stopped_for
        if stops and is_loop(stops, job.name):
            return False
        return known.missing == NOTHING or not any(
            pod.state is PodState.BINDING for pod in victim.pods
        )

    def _take_nodes(self, inventory: Inventory) -> None:
        self._inventory = inventory
        clusters = inventory.clusters or {
            DECLARED_CLUSTER: Cluster(name=DECLARED_CLUSTER, nodes=tuple(self.spec.nodes.values()))
        }
        if clusters == self.clusters:
            return
        self.clusters = clusters
        self._feasibility = Feasibility(self.spec, clusters.values())
        self._exceeded.clear()
        self.rooms = Rooms(
            NodeRoom(
                _key(cluster.name, node.name),
                node,
                accepts=cluster.is_ready and node.is_ready and self.spec.includes(node),
            )
            for cluster in clusters.values()
            if not cluster.has_failed
            for node in cluster.nodes
        )
        self._places = {
            _key(cluster.name, node.name): (cluster.name, node.name)
            for cluster in clusters.values()
            for node in cluster.nodes
        }
        total = NOTHING
        for room in self.rooms.values():
            if room.accepts:
                total = plus(total, room.capacity)
        self.total = total
        self._least_device_memory = least_device_memory(self.rooms)
        self._allowed.clear()
        self._class_requests.clear()
        self._class_jobs.clear()
        self._known.clear()
        self._announced_lost.clear()
        self._used.clear()
        self._firm.clear()
        self._missing.clear()
        self.version += 1

    def _add(self, uid: str, running: Running) -> None:
        queue = running.queue
        if queue is None:
            return
        job = self._job(running.workload, queue, running.priority, running)
        if not all(map(is_on_clusters, running.assignment)):
            # Another scheduler has started it, and which nodes it uses is not known: it counts for
            # its queue alone, and stays until it ends.
            used = NOTHING if running.evicting else self.amounts_of(running.workload)
            job.groups = []
            found = self._known[uid] = _Known(
                running, running.evicting, job, used, NOTHING, has_lost=False
            )
            self._count(found, plus)
            return
        for pod in job.pods:
            if pod.node is not None:
                room = self.rooms[pod.node]
                room.start(pod)
                if pod.state is PodState.RELEASING:
                    room.evict(pod)
        used = requested(pod for pod in job.pods if pod.state is PodState.RUNNING)
        missing = requested(pod for pod in job.pods if pod.state is PodState.PENDING)
        has_lost = any(
            self.is_lost(place) for assigned in running.assignment for place in assigned.places
        )
        found = self._known[uid] = _Known(running, running.evicting, job, used, missing, has_lost)
        if running.reason is PODS_LOST:
            self._announced_lost[uid] = None
        self._count(found, plus)

    def _remove(self, uid: str) -> None:
        found = self._known.pop(uid)
        self._announced_lost.pop(uid, None)
        for pod in found.job.pods:
            if pod.node is not None:
                room = self.rooms[pod.node]
                if pod.state is PodState.RELEASING:
                    room.keep(pod)
                room.stop(pod)
        self._count(found, minus)

    def _count(self, known: _Known, change: Callable[[Amounts, Amounts], Amounts]) -> None:
        job = known.job
        _change(self._used, job.queue, known.used, change)
        _change(self._missing, job.queue, known.missing, change)
        if not job.is_preemptible:
            _change(self._firm, job.queue, known.used, change)
        self.version += 1

    def _job(
        self, workload: Workload, queue: str, priority: int, running: Running | None = None
    ) -> Job:
        groups = [
            PodGroup(
                name=each.name,
                minimum=each.minimum,
                pods=list(self._pods(each, running)),
            )
            for each in workload.pod_sets
        ]
        allowed = {each.name: self._allowed_for(each) for each in workload.pod_sets}
        preemptible = is_preemptible(priority, workload.is_preemptible)
        return Job(
            name=workload.id,
            queue=queue,
            priority=priority,
            is_preemptible=preemptible,
            created=workload.sequence,
            groups=groups,
            started=running.started if running is not None else None,
            allowed=None
            if all(nodes is None for nodes in allowed.values())
            else {name: self.rooms if nodes is None else nodes for name, nodes in allowed.items()},
            signature=None
            if running is not None
            else (
                preemptible,
                tuple(
                    (
                        each.name,
                        each.count,
                        each.minimum,
                        tuple(sorted(each.requests.items())),
                        constraints_of(each),
                    )
                    for each in workload.pod_sets
                ),
            ),
        )

    def _pods(self, pod_set: PodSet, running: Running | None) -> Iterator[Pod]:
        """Yield the pods of a pod set: those with a place first, then those without."""
        need = need_of(pod_set.requests)
        amounts = need.amounts(self._least_device_memory)
        index = 0

        def pod(state: PodState, place: Place | None = None) -> Pod:
            return Pod(
                name=f"{pod_set.name}-{index}",
                request=amounts,
                need=need,
                created=index,
                state=state,
                node=_key(place.cluster, place.node) if place is not None else None,
                devices=place.devices if place is not None else (),
            )

        if running is not None:
            assigned = next(each for each in running.assignment if each.name == pod_set.name)
            kept = PodState.RELEASING if running.evicting else PodState.RUNNING
            for places, state in ((assigned.places, kept), (assigned.stopping, PodState.RELEASING)):
                for place in places:
                    if self.is_lost(place):
                        continue
                    for _ in range(place.count):
                        yield pod(state, place)
                        index += 1
            if running.evicting:
                return
            index = sum(place.count for place in assigned.places if not self.is_lost(place))
        while index < pod_set.count:
            yield pod(PodState.PENDING)
            index += 1

    def _allowed_for(self, pod_set: PodSet) -> frozenset[str] | None:
        """Return the nodes that a pod set may use; None: all of them."""
        constraints = constraints_of(pod_set)
        if constraints not in self._allowed:
            nodes = frozenset(key for key, room in self.rooms.items() if room.node.accepts(pod_set))
            self._allowed[constraints] = None if len(nodes) == len(self.rooms) else nodes
        return self._allowed[constraints]

    def _requests(self, state: State) -> dict[str, Amounts]:
        """Return what running and pending workloads below each queue request."""
        below: dict[str, Amounts] = {}
        members = self.spec.tree.members
        for name, queue in state.queues.items():
            if name in members:
                amounts = self._pending_requests(queue)
                if amounts != NOTHING:
                    below[name] = amounts
        for running in (self._used, self._missing):
            for name, amounts in running.items():
                below[name] = plus(below.get(name, NOTHING), amounts)
        return _summed_up(self.spec.tree, below)

    def _pending_requests(self, queue: AnyQueue) -> Amounts:
        total = NOTHING
        for cls in queue.pending.classes.values():
            if cls.head.workload.inactive is None:
                total = plus(total, times(self._requests_of_class(cls), len(cls)))
        for preemptor in queue.preemptors.values():
            total = plus(total, self.amounts_of(preemptor.pending.workload))
        for each in queue.unrestored:
            amounts = need_of(each.requests).amounts(self._least_device_memory)
            total = plus(total, times(amounts, each.count))
        return total

    def _requests_of_class(self, cls: PendingClass) -> Amounts:
        known = self._class_requests.get(cls.key)
        if known is None:
            if len(self._class_requests) > _MOST_CLASSES:
                self._class_requests.clear()
            known = self._class_requests[cls.key] = self.amounts_of(cls.head.workload)
        return known

    def amounts_of(self, workload: Workload) -> Amounts:
        """Return what queues count for a workload with all of its pods."""
        total = NOTHING
        for each in workload.pod_sets:
            amounts = need_of(each.requests).amounts(self._least_device_memory)
            total = plus(total, times(amounts, each.count))
        return total

    def _shares(self, requests: Mapping[str, Amounts], state: State) -> FairShares:
        usage = current_usage(self.spec, state.usage_history, state.now)
        key = (requests, self.total, usage)
        if self._last_shares is None or self._last_shares[0] != key:
            found = self._fair_shares.compute(
                self.total,
                requests,
                k_value=self.spec.settings.k_value,
                usage=usage,
            )
            self._last_shares = key, found
        return self._last_shares[1]


def world_of(state: State) -> LiveWorld:
    """Return the world of *state*, up to date."""
    world = cast(LiveWorld | None, state.derived)
    if world is None:
        world = state.derived = LiveWorld(state)
    world.take_over(state)
    return world


def _key(cluster: str | None, node: str | None) -> str:
    return f"{cluster}/{node}"


def _change(
    sums: dict[str, Amounts],
    queue: str,
    amounts: Amounts,
    change: Callable[[Amounts, Amounts], Amounts],
) -> None:
    if amounts == NOTHING:
        return
    left = change(sums.get(queue, NOTHING), amounts)
    if left == NOTHING:
        del sums[queue]
    else:
        sums[queue] = left


def _summed_up(tree: QueueTree[FairQueue], amounts: Mapping[str, Amounts]) -> dict[str, Amounts]:
    """Return the amounts of queues together with those of the queues below them."""
    sums: dict[str, Amounts] = {}
    for queue, some in amounts.items():
        if queue in tree.members:
            for name in tree.path(queue):
                sums[name] = plus(sums.get(name, NOTHING), some)
    return sums
