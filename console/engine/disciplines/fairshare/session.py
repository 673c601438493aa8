"""A session: nodes, queues and workloads at one time, with changes that can be undone."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nlargest
from typing import Any, Final

from console.engine.disciplines.fairshare.fair_share import FairShares
from console.engine.disciplines.fairshare.gangs import (
    Elasticity,
    Pod,
    PodGroup,
    PodState,
    elasticity,
    pods_of,
    requested,
    start_unit,
)
from console.engine.disciplines.fairshare.gates import Refusal, refusal
from console.engine.disciplines.fairshare.node_room import NodeRoom, Rooms
from console.engine.disciplines.fairshare.resources import NOTHING, Amounts, fits, minus, plus
from console.engine.disciplines.fairshare.spec import FairshareSpec, PlacementStrategy
from console.engine.disciplines.fairshare.standing import Standing
from console.engine.disciplines.fairshare.turn_order import Path, TurnOrder, turn_path
from console.engine.disciplines.fairshare.workload_order import Precedence

#: The most jobs that consolidation moves for another one.
MOST_MOVED: Final = 17

_NO_DEVICES: tuple[int, ...] = ()


@dataclass(slots=True, eq=False, kw_only=True)
class Job:
    """A workload in a session, with all of its pods."""

    name: str
    queue: str
    priority: int
    is_preemptible: bool
    #: Of equal workloads, the one with the smaller number is first.
    created: int
    groups: list[PodGroup]
    #: When it started, in milliseconds; None: not known.
    started: int | None = None
    #: The keys of the nodes that its labels, taints and affinity allow, by pod set; None: all.
    allowed: Mapping[str, Collection[str]] | None = None
    #: Equal for jobs that are equal for the search for victims; None: like no other.
    signature: object = None

    @property
    def pods(self) -> Iterable[Pod]:
        """Its pods, in the order of their groups."""
        return pods_of(self.groups)

    @property
    def precedence(self) -> tuple[int, int, int, str]:
        """Its sort key in its queue."""
        return Precedence(
            priority=self.priority,
            elasticity=self.elasticity,
            created=self.created,
            id=self.name,
        ).key()

    @property
    def elasticity(self) -> Elasticity:
        """Whether it runs with less than its minimum, at it, or above."""
        return elasticity(self.groups)

    @property
    def has_active_pods(self) -> bool:
        """Whether any of its pods runs or is about to."""
        return any(each.is_active for each in self.pods)

    def group_of(self, pod: Pod) -> PodGroup:
        """Return the group of one of its pods."""
        return next(each for each in self.groups if pod in each.pods)


@dataclass(frozen=True, slots=True)
class Exceeding:
    """Queues that use more than a bound in some resource, by the name of their parent."""

    #: More than the larger one of quota and fair share.
    entitlement: dict[str | None, list[str]] = field(default_factory=dict)
    quota: dict[str | None, list[str]] = field(default_factory=dict)


def _always(job: Job, victim: Job) -> bool:
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """The places found for the pods that start together, or why there are none."""

    #: Whether all of them have a place.
    is_complete: bool
    #: Whether one of them waits for pods that have to stop.
    waits: bool = False
    refusal: Refusal | None = None
    #: The number of pods that have a place, and the first one that has none.
    placed: int = 0
    failed: Pod | None = None


@dataclass(slots=True, kw_only=True)
class Session:
    """
    The state on which actions work, from the computation of fair shares on.

    Fair shares stay the same throughout a session. The usage of queues counts pods that run or
    are about to, also on capacity that others have yet to release, and not those that have to stop.
    """

    spec: FairshareSpec
    rooms: Rooms
    #: Jobs with pods on nodes, and pending ones that take part.
    jobs: dict[str, Job]
    shares: FairShares
    #: What all nodes together offer.
    total: Amounts
    #: In milliseconds since 1970 in UTC.
    now: int = 0
    #: Whether reclaim may only move workloads, if it takes none from a queue that uses more than it
    #: is entitled to. KAI does this; without it, a search for victims that have to stay is short.
    moves_by_reclaim: bool = True
    #: Whether a job may take room from another one; KAI has no such rule.
    may_take: Callable[[Job, Job], bool] = _always
    #: By queue, as it stands now.
    standings: dict[str, Standing] = field(default_factory=dict)
    #: The standings before the first change.
    at_start: Mapping[str, Standing] = field(init=False)
    #: By queue that may have workloads.
    paths: dict[str, Path] = field(default_factory=dict)
    #: Computed on access, see `running_by_queue`.
    _running_by_queue: dict[str, list[Job]] | None = None
    _movable: list[Job] | None = None
    _exceeding: Exceeding | None = None
    _losers: dict[tuple[str, Amounts], frozenset[str]] = field(default_factory=dict)
    _undo: list[tuple[Callable[..., None], tuple[Any, ...]]] = field(default_factory=list)
    #: The number of changes before the last commit.
    _committed: int = 0

    def __post_init__(self) -> None:
        self.at_start = dict(self.standings)

    def checkpoint(self) -> int:
        """Return the present point in the sequence of changes."""
        return len(self._undo)

    def rollback(self, checkpoint: int = 0) -> None:
        """Undo all changes since *checkpoint*."""
        while len(self._undo) > checkpoint:
            undo, arguments = self._undo.pop()
            undo(*arguments)
        if self._committed > checkpoint:
            self._committed = checkpoint
            self._forget()

    def commit(self) -> None:
        """
        Let pods that are evicted stop: from now on they are not placed again in this session.

        Evicted pods that did not run yet are pending again.
        """
        self._forget()
        for undo, arguments in self._undo[self._committed :]:
            if undo != self._unevict:
                continue
            pod = arguments[1]
            before = (pod.state, pod.node, pod.devices, pod.former, pod.has_run)
            if pod.state is PodState.RELEASING and pod.former is not None:
                if pod.former[0] is PodState.PIPELINED and not pod.has_run:
                    pod.state, pod.node, pod.devices = PodState.PENDING, None, ()
                pod.former = None
            elif pod.state is PodState.PIPELINED:
                pod.former, pod.has_run = None, True
            self._undo.append((_restore, (pod, before)))
        self._committed = len(self._undo)

    def path_standings(self, queue: str) -> list[Standing]:
        """Return the standings of a queue and of those above it, the nearest first."""
        return [self.standings[each] for each in self.spec.tree.path(queue)]

    @property
    def running_by_queue(self) -> Mapping[str, Sequence[Job]]:
        """The preemptible jobs with active pods as of the last commit, by queue."""
        if self._running_by_queue is None:
            found: dict[str, list[Job]] = {}
            for job in self.jobs.values():
                if job.is_preemptible and job.has_active_pods:
                    found.setdefault(job.queue, []).append(job)
            self._running_by_queue = found
        return self._running_by_queue

    @property
    def movable(self) -> Sequence[Job]:
        """The jobs that consolidation may move as of the last commit: those served last."""
        if self._movable is None:
            running = (job for some in self.running_by_queue.values() for job in some)
            self._movable = nlargest(MOST_MOVED, running, key=lambda job: job.precedence)
        return self._movable

    @property
    def exceeding(self) -> Exceeding:
        """The queues that use more than they are entitled to, as of the last commit."""
        if self._exceeding is None:
            self._exceeding = found = Exceeding()
            for name, each in self.standings.items():
                parent = self.spec.tree.queues[name].parent
                if not fits(each.used, each.allocatable):
                    found.entitlement.setdefault(parent, []).append(name)
                if not fits(each.used, each.quota):
                    found.quota.setdefault(parent, []).append(name)
        return self._exceeding

    def losers(self, queue: str, request: Amounts) -> frozenset[str]:
        """
        Return the queues of which a job of *queue* may reclaim something, as of the last commit.

        They have preemptible jobs, and they or the queues above them use more than they are
        entitled to, compared with the job's side of the tree.
        """
        found = self._losers.get((queue, request))
        if found is None:
            running, tree = self.running_by_queue, self.spec.tree
            found = self._losers[queue, request] = frozenset(
                below
                for mine in tree.path(queue)
                for other in self._may_lose(mine, request)
                if other != mine
                for below in tree.subtree(other)
                if below in running
            )
        return found

    def _may_lose(self, queue: str, request: Amounts) -> Iterable[str]:
        """Return the children of the parent of *queue* that may lose something to it."""
        parent, mine = self.spec.tree.queues[queue].parent, self.standings[queue]
        over = self.exceeding.entitlement.get(parent, ())
        if parent not in self.exceeding.quota or not fits(plus(mine.used, request), mine.quota):
            return over
        return (*over, *self.exceeding.quota[parent])

    def turns(self, jobs: Iterable[Job]) -> TurnOrder[Job]:
        """Return *jobs* in the order of their turns."""
        by_queue: dict[str, list[Job]] = {}
        for job in jobs:
            by_queue.setdefault(job.queue, []).append(job)
        return TurnOrder(
            by_queue,
            paths=self.paths,
            standings=self.standings,
            total=self.total,
            place_of=lambda job: job.precedence,
            request_of=lambda job: requested(start_unit(job.groups)),
        )

    # Changes

    def start(self, job: Job, pod: Pod, node: str, devices: tuple[int, ...] = ()) -> None:
        """Let a pod start on free capacity."""
        pod.state, pod.node, pod.devices = PodState.BINDING, node, devices
        self.rooms[node].start(pod)
        self._charge(job, pod.request, 1)
        self._undo.append((self._unstart, (job, pod)))

    def expect(self, job: Job, pod: Pod, node: str, devices: tuple[int, ...] = ()) -> None:
        """Let a pod wait for capacity that others release."""
        before = pod.state
        if pod.former is not None and pod.former[1:] == (node, devices):
            # It never left its place.
            pod.state, pod.node, pod.devices = pod.former
            if pod.state is PodState.PIPELINED:
                self.rooms[node].expect(pod)
            else:
                self.rooms[node].keep(pod)
        else:
            pod.state, pod.node, pod.devices = PodState.PIPELINED, node, devices
            self.rooms[node].expect(pod)
        self._charge(job, pod.request, 1)
        self._undo.append((self._unexpect, (job, pod, before)))

    def postpone(self, job: Job, pod: Pod) -> None:
        """Let a pod that was to start wait, because another pod of its workload waits."""
        assert pod.node is not None
        self.rooms[pod.node].stop(pod)
        pod.state = PodState.PIPELINED
        self.rooms[pod.node].expect(pod)
        self._undo.append((self._unpostpone, (pod,)))

    def evict(self, job: Job, pod: Pod) -> None:
        """Let a pod stop, or give up the place for which it waits; it may be placed again."""
        assert pod.node is not None
        before = pod.former
        pod.former = (pod.state, pod.node, pod.devices)
        if pod.state is PodState.PIPELINED:
            self.rooms[pod.node].cancel(pod)
        else:
            self.rooms[pod.node].evict(pod)
        pod.state = PodState.RELEASING
        self._charge(job, pod.request, -1)
        self._undo.append((self._unevict, (job, pod, before)))

    # Placing

    def place(self, job: Job, unit: Sequence[Pod], *, only_in_future: bool = False) -> Placement:
        """
        Find places for all pods that start together, and let them start or wait there.

        With *only_in_future* all of them wait, also on capacity that is free. Further pods wait as
        long as the minimum of their workload does. If one of them has no place, nothing changes.
        """
        refused = refusal(
            self.path_standings(job.queue), requested(unit), is_preemptible=job.is_preemptible
        )
        if refused is not None:
            return Placement(is_complete=False, refusal=refused)
        checkpoint = self.checkpoint()
        for index, pod in enumerate(unit):
            if not self._place(job, pod, only_in_future=only_in_future):
                self.rollback(checkpoint)
                return Placement(is_complete=False, placed=index, failed=pod)
        waits = any(each.state is PodState.PIPELINED for each in unit) or _minimum_waits(job)
        if waits:
            for pod in unit:
                if pod.state is PodState.BINDING:
                    self.postpone(job, pod)
        return Placement(is_complete=True, waits=waits, placed=len(unit))

    def _place(self, job: Job, pod: Pod, *, only_in_future: bool) -> bool:
        room = self._choose(job, pod)
        if room is None:
            return False
        need, devices = pod.need, _NO_DEVICES
        is_now = not only_in_future and room.fits_now(need)
        if need.share is not None:
            preferred = pod.former[2] if pod.former and pod.former[1] == room.key else ()
            found = room.choose_devices(need.share, preferred, spread=self._spreads(pod))
            if found is None:
                return False
            devices = found
            is_now = is_now and all(room.is_free_now(need.share, number) for number in found)
        (self.start if is_now else self.expect)(job, pod, room.key, devices)
        return True

    def _choose(self, job: Job, pod: Pod) -> NodeRoom | None:
        """
        Return the node for a pod; None if it fits on none.

        Nodes with a shared device for it come first, then those on which it could start now, then
        for pods without GPUs those that have none, then the fullest or emptiest, then by name.
        """
        need, best, best_key = pod.need, None, None
        cpu_only, spreads = need.is_cpu_only, self._spreads(pod)
        # Without shared devices, the first node on which the pod could start now is the best one.
        takes_first = need.gpus > 0 and not spreads and not self.rooms.sharing
        for room in self._candidates(job, pod):
            if not room.fits_in_future(need):
                continue
            if takes_first and room.fits_now(need):
                return room
            free = room.future_cpu if cpu_only else room.free_gpus()
            if spreads:
                offered = room.capacity_cpu if cpu_only else room.gpus
                free = -free * 10**6 // offered if offered else 0
            key = (
                not room.has_shared_device_for(need),
                not room.fits_now(need),
                cpu_only and room.gpus > 0,
                free,
                room.key,
            )
            if best_key is None or key < best_key:
                best, best_key = room, key
        return best

    def _candidates(self, job: Job, pod: Pod) -> Iterable[NodeRoom]:
        """Return the nodes that might have room; whole devices: the fullest first."""
        need = pod.need
        if need.gpus:
            found: Iterable[NodeRoom] = self.rooms.with_free_gpus(need.gpus)
        elif need.share is not None:
            found = self.rooms.candidates_for_share()
        else:
            found = self.rooms.values()
        if job.allowed is None:
            return found
        allowed = job.allowed[job.group_of(pod).name]
        return (each for each in found if each.key in allowed)

    def _spreads(self, pod: Pod) -> bool:
        settings = self.spec.settings
        strategy = settings.cpu_placement if pod.need.is_cpu_only else settings.gpu_placement
        return strategy is PlacementStrategy.SPREAD

    # Internals

    def _forget(self) -> None:
        self._running_by_queue = self._movable = self._exceeding = None
        self._losers.clear()

    def _charge(self, job: Job, amounts: Amounts, sign: int) -> None:
        combine = plus if sign > 0 else minus
        firm = NOTHING if job.is_preemptible else amounts
        for name in self.spec.tree.path(job.queue):
            standing = self.standings[name]
            self.standings[name] = standing.with_usage(
                combine(standing.used, amounts), combine(standing.used_non_preemptible, firm)
            )

    def _unstart(self, job: Job, pod: Pod) -> None:
        assert pod.node is not None
        self.rooms[pod.node].stop(pod)
        self._charge(job, pod.request, -1)
        pod.state, pod.node, pod.devices = PodState.PENDING, None, ()

    def _unexpect(self, job: Job, pod: Pod, before: PodState) -> None:
        assert pod.node is not None
        self._charge(job, pod.request, -1)
        if pod.state is PodState.PIPELINED:
            self.rooms[pod.node].cancel(pod)
        else:
            self.rooms[pod.node].evict(pod)
        pod.state = before
        pod.node, pod.devices = pod.former[1:] if pod.former is not None else (None, ())

    def _unpostpone(self, pod: Pod) -> None:
        assert pod.node is not None
        self.rooms[pod.node].cancel(pod)
        pod.state = PodState.BINDING
        self.rooms[pod.node].start(pod)

    def _unevict(self, job: Job, pod: Pod, before: Any) -> None:
        assert pod.node is not None
        assert pod.former is not None
        self._charge(job, pod.request, 1)
        pod.state = pod.former[0]
        if pod.state is PodState.PIPELINED:
            self.rooms[pod.node].expect(pod)
        else:
            self.rooms[pod.node].keep(pod)
        pod.former = before


def _restore(pod: Pod, before: tuple[Any, ...]) -> None:
    pod.state, pod.node, pod.devices, pod.former, pod.has_run = before


def open_session(
    spec: FairshareSpec,
    rooms: Rooms,
    jobs: Iterable[Job],
    shares: FairShares,
    total: Amounts,
    *,
    now: int = 0,
) -> Session:
    """
    Return a session with *jobs*, whose running pods are already on the nodes of *rooms*.

    Usage is that of the running pods. Workloads in queues that are not part of the tree take no
    part.
    """
    known = {each.name: each for each in jobs if each.queue in spec.tree.members}
    used: dict[str, Amounts] = {}
    firm: dict[str, Amounts] = {}
    for job in known.values():
        amounts = requested(pod for pod in job.pods if pod.is_active)
        if amounts == NOTHING:
            continue
        for name in spec.tree.path(job.queue):
            used[name] = plus(used.get(name, NOTHING), amounts)
            if not job.is_preemptible:
                firm[name] = plus(firm.get(name, NOTHING), amounts)
    standings = {
        name: Standing(
            name=name,
            priority=queue.priority,
            created=queue.created,
            quota=queue.quota,
            limit=queue.limit,
            fair_share=shares.shares[name],
            used=used.get(name, NOTHING),
            used_non_preemptible=firm.get(name, NOTHING),
        )
        for name in spec.tree.members
        for queue in (spec.tree.queues[name],)
    }
    return Session(
        spec=spec,
        rooms=rooms,
        jobs=known,
        shares=shares,
        total=total,
        now=now,
        standings=standings,
        paths={
            name: turn_path(spec, name) for name in spec.tree.members if spec.takes_workloads(name)
        },
    )


def _minimum_waits(job: Job) -> bool:
    """Return whether pods that a group requires wait for others to stop."""
    return any(
        any(pod.state is PodState.PIPELINED for pod in group.pods)
        and sum(pod.state in (PodState.RUNNING, PodState.BINDING) for pod in group.pods)
        < group.minimum
        for group in job.groups
    )
