"""What a state takes over from a session: admissions, resizes, evictions and verdicts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final

from console.engine.disciplines.fairshare.gangs import Pod, PodState, requested, start_unit
from console.engine.disciplines.fairshare.gates import Gate
from console.engine.disciplines.fairshare.live_world import LiveWorld
from console.engine.disciplines.fairshare.nomination import (
    Attempt,
    FairshareNomination,
    NodeShortage,
    Search,
)
from console.engine.disciplines.fairshare.reasons import (
    CONSOLIDATED,
    EXCEEDS_LIMIT,
    EXCEEDS_NODES,
    EXCEEDS_QUOTA,
    GANG_HAS_NO_ROOM,
    GROWN,
    NO_NODE_HAS_ROOM,
    NO_NODE_MATCHES,
    NO_NODES,
    NON_PREEMPTIBLE_OVER_QUOTA,
    OVER_LIMIT,
    PODS_LOST,
    PREEMPTED,
    RECLAIMED,
    STALE_GANG,
    STARTED,
    WAITS_FOR_STOPPING,
)
from console.engine.disciplines.fairshare.resources import RESOURCES
from console.engine.disciplines.fairshare.session import Job, Placement, Session
from console.engine.disciplines.fairshare.shortages import shortages
from console.engine.disciplines.fairshare.spec import POOL
from console.engine.disciplines.fairshare.victim_search import Victim
from console.engine.live.live_tree import AnyQueue, Target
from console.engine.live.pod_changes import placed_pods
from console.engine.live.running import Running
from console.engine.model.amounts import FlavorResource
from console.engine.model.common_reasons import BEHIND_OTHERS
from console.engine.model.decision import (
    Assignment,
    Place,
    PlacedPods,
    PodSetAssignment,
    Resize,
)
from console.engine.model.exceeded import BoundKind, Exceeded
from console.engine.model.reasons import Reason
from console.engine.model.route import Route
from console.engine.pending.pending_class import Pending, PendingClass, Verdict

if TYPE_CHECKING:
    from console.engine.state import State

#: Returns whether it has changed the state.
Change = Callable[[], bool]

_REASONS: Final = {
    Search.RECLAIM: RECLAIMED,
    Search.PREEMPT: PREEMPTED,
    Search.CONSOLIDATE: CONSOLIDATED,
}

#: Why a workload can never start, by the first bound that it exceeds.
_NEVER: Final = {
    BoundKind.LIMIT: EXCEEDS_LIMIT,
    BoundKind.QUOTA: EXCEEDS_QUOTA,
    BoundKind.NODE_CONSTRAINTS: NO_NODE_MATCHES,
    BoundKind.NODE: EXCEEDS_NODES,
    BoundKind.NODES: EXCEEDS_NODES,
}

#: The reasons for which a workload loses pods to another one.
EVICTIONS: Final = frozenset(_REASONS.values())


@dataclass(slots=True, eq=False)
class Origin:
    """The pending or running workload for which a job stands."""

    queue: AnyQueue
    pending: Pending | None = None
    #: The class of a pending workload, and the members of it that follow; None: it is alone.
    cls: PendingClass | None = None
    members: Iterator[Pending] | None = None
    running: Running | None = None


@dataclass(slots=True)
class Result:
    """What a session found for one job."""

    #: Pods that start at once.
    started: list[Pod] = field(default_factory=list)
    #: Whether further pods have places that others have to leave first.
    waits: bool = False
    #: The search that found victims, and these.
    search: Search | None = None
    victims: tuple[Victim, ...] = ()
    #: Why pods have no place, and what searches for room found.
    placement: Placement | None = None
    attempts: list[Attempt] = field(default_factory=list)

    @property
    def has_room(self) -> bool:
        """Whether some pods start, or wait for others to stop."""
        return bool(self.started) or self.waits


class Outcomes:
    """The changes of a state that follow from a session."""

    def __init__(
        self,
        state: State,
        world: LiveWorld,
        session: Session,
        origins: Mapping[Job, Origin],
        results: Mapping[Job, Result],
    ) -> None:
        self._state, self._world, self._session = state, world, session
        self._origins, self._results = origins, results
        #: Running workloads of which pods are taken by an earlier change.
        self._taken: set[str] = set()
        #: Announcements of lost pods.
        self._announcements: list[Change] = []

    def plan(self, stale: Iterable[Job] = ()) -> list[Change]:
        """
        Return the changes in the order of the session, then the evictions of *stale* jobs.

        They hold all facts, so that the session may be rolled back before they are made.
        """
        changes: list[Change] = []
        for job, origin in self._origins.items():
            result = self._results.get(job)
            if result is None:
                if not self._is_news(job, origin):
                    continue
                # It had no prospects.
                result = Result()
            if result.placement is None and not result.has_room:
                result.placement, result.waits = self._tried(job)
            if origin.running is not None:
                changes.extend(self._growth(job, origin.running, result))
                if result.search is not None:
                    changes.extend(self._preemption(job, origin, result))
            elif result.started:
                changes.append(self._admission(job, origin, result))
            elif result.search is not None:
                changes.extend(self._preemption(job, origin, result))
            elif origin.cls is not None:
                changes.append(self._verdict(job, origin, result))
        for job in stale:
            if job.name not in self._taken:
                running = self._state.running[job.name]
                changes.append(partial(self._evict, running, STALE_GANG))
        # Last, because a resize replaces the running workloads that other changes hold.
        changes.extend(self._announcements)
        changes.extend(
            partial(self._announce, running, None, STARTED) for running in self._world.returned()
        )
        return changes

    def _tried(self, job: Job) -> tuple[Placement, bool]:
        """
        Return why *job* has no places, and whether it has some when others have stopped.

        The turn of a job without prospects was left out.
        """
        checkpoint = self._session.checkpoint()
        found = self._session.place(job, start_unit(job.groups), only_in_future=True)
        self._session.rollback(checkpoint)
        return found, found.is_complete

    def _is_news(self, job: Job, origin: Origin) -> bool:
        """Return whether there is something to announce about a job without a turn."""
        if origin.running is not None:
            return self._has_unannounced_loss(job, origin.running)
        cls = origin.cls
        if cls is None or cls.head is not origin.pending:
            return False
        if cls.verdict is None:
            return True
        # Other nodes may let it start some time, or never.
        exceeded = self._exceeded(job)
        is_told = cls.verdict.reason.cannot_run
        return cls.verdict.reason is not _NEVER[exceeded[0].kind] if exceeded else is_told

    def _has_unannounced_loss(self, job: Job, running: Running) -> bool:
        return self._world.has_lost_pods(job.name) and running.reason is not PODS_LOST

    def nomination_of(self, job: Job) -> FairshareNomination:
        """Return what the session found for a pending job."""
        result, pending = self._results[job], self._origins[job].pending
        assert pending is not None
        return self._nomination(
            job,
            result,
            reason=BEHIND_OTHERS if result.started else self._reason(job, result),
            assignment=self._assignment(job, pending) if result.started else (),
            with_nodes=True,
        )

    def _admission(self, job: Job, origin: Origin, result: Result) -> Change:
        pending = origin.pending
        assert pending is not None
        assignment = self._assignment(job, pending)
        nomination = self._nomination(job, result, assignment=assignment)

        def admit() -> bool:
            self._state.admit(origin.queue, pending, nomination, assignment)
            return True

        return admit

    def _growth(self, job: Job, running: Running, result: Result) -> Iterator[Change]:
        """Yield the change that gives further pods, or other places for lost ones."""
        if not result.started:
            if self._has_unannounced_loss(job, running):
                nomination = self._nomination(job, result)
                change = partial(self._announce, running, nomination, PODS_LOST)
                self._announcements.append(change)
            return
        lost = tuple(
            pods for pods in placed_pods(running.assignment) if self._world.is_lost(pods.place)
        )
        granted = tuple(
            PlacedPods(pod_set=job.group_of(pod).name, place=self._world.place_of(pod))
            for pod in result.started
        )
        nomination = self._nomination(job, result)

        def grow() -> bool:
            self._state.resize(
                running, nomination, Resize(granted=_merged(granted), taken=lost), GROWN
            )
            return True

        yield grow

    def _preemption(self, job: Job, origin: Origin, result: Result) -> Iterator[Change]:
        """Yield the evictions for a job, and its own wait if it is pending."""
        search, pending = result.search, origin.pending
        assert search is not None
        if pending is None:
            running = origin.running
            assert running is not None
            route = Route(queue=job.queue, priority=job.priority)
            pending = Pending(running.workload, route, stopped_for=running.stopped_for)
        reason = _REASONS[search]
        targets, resizes = [], []
        for victim in result.victims:
            uid = victim.job.name
            running = self._state.running[uid]
            if uid in self._taken:
                continue
            self._taken.add(uid)
            target = Target(running, self._state.queues[victim.job.queue], reason)
            pods = self._taken_pods(victim)
            if not pods:
                # It loses nothing but a place for which it waits, and has nothing to stop.
                continue
            if all(pod.state is not PodState.RUNNING for pod in victim.job.pods):
                targets.append(target)
            else:
                resizes.append((target, pods))
        nomination = self._nomination(job, result, reason=WAITS_FOR_STOPPING)
        for target, pods in resizes:
            yield partial(self._shrink, target, pods, origin.queue, pending, nomination)
        if targets and origin.running is not None:
            # It gets the pods when the others have stopped.
            yield partial(self._state.evict_for, origin.queue, pending, nomination, tuple(targets))
        elif targets:
            yield partial(
                self._state.preempt, origin.queue, pending, nomination, tuple(targets), (), None
            )
        elif origin.cls is not None:
            yield self._verdict(job, origin, result)

    def _announce(
        self, running: Running, nomination: FairshareNomination | None, reason: Reason
    ) -> bool:
        """Announce *reason*, unless another change of the cycle concerns the workload too."""
        if not self._is_unchanged(running):
            return False
        self._state.resize(running, nomination, Resize(), reason)
        return True

    def _is_unchanged(self, running: Running) -> bool:
        present = self._state.running.get(running.workload.id)
        return present is running and not running.evicting

    def _evict(self, running: Running, reason: Reason) -> bool:
        if not self._is_unchanged(running):
            return False
        self._state.evict(self._state.queues[running.queue or ""], running, reason)
        return True

    def _shrink(
        self,
        target: Target,
        pods: tuple[PlacedPods, ...],
        queue: AnyQueue,
        pending: Pending,
        nomination: FairshareNomination,
    ) -> bool:
        self._state.take_pods(target, pods, queue, pending, nomination)
        return True

    def _taken_pods(self, victim: Victim) -> tuple[PlacedPods, ...]:
        """Return the places that running pods of a victim have to leave."""
        running = self._state.running[victim.job.name]
        left: dict[tuple[str, Place], int] = {}
        for pod in victim.job.pods:
            if pod.state is PodState.RUNNING:
                place = self._world.place_of(pod)
                key = victim.job.group_of(pod).name, place
                left[key] = left.get(key, 0) + 1
        taken = []
        for pods in placed_pods(running.assignment):
            one = Place(
                count=1,
                cluster=pods.place.cluster,
                node=pods.place.node,
                flavor=pods.place.flavor,
                devices=pods.place.devices,
            )
            stay = min(pods.place.count, left.get((pods.pod_set, one), 0))
            left[pods.pod_set, one] = left.get((pods.pod_set, one), 0) - stay
            if stay < pods.place.count and not self._world.is_lost(pods.place):
                taken.append(
                    PlacedPods(
                        pod_set=pods.pod_set, place=_counted(pods.place, pods.place.count - stay)
                    )
                )
        return tuple(taken)

    def _verdict(self, job: Job, origin: Origin, result: Result) -> Change:
        cls = origin.cls
        assert cls is not None
        nomination = self._nomination(
            job,
            result,
            reason=self._reason(job, result),
            with_nodes=bool(cls.unannounced) or cls.verdict is None,
        )
        verdict = Verdict(nomination.pending_reason, nomination.usage, nomination)

        def wait() -> bool:
            if cls.key in origin.queue.pending.classes and cls.head is origin.pending:
                self._state.set_inadmissible(origin.queue, cls, verdict)
            return False

        return wait

    def _exceeded(self, job: Job) -> tuple[Exceeded, ...]:
        """Return why a job can never start; empty: it can, or it runs already."""
        origin = self._origins[job]
        if origin.pending is None:
            return ()
        return self._world.exceeded(origin.pending, job, origin.cls)

    def _reason(self, job: Job, result: Result) -> Reason:
        if result.has_room:
            return WAITS_FOR_STOPPING
        exceeded = self._exceeded(job)
        if exceeded:
            return _NEVER[exceeded[0].kind]
        placement = result.placement
        if placement is not None and placement.refusal is not None:
            is_limit = placement.refusal.gate is Gate.LIMIT
            return OVER_LIMIT if is_limit else NON_PREEMPTIBLE_OVER_QUOTA
        if not any(room.accepts for room in self._session.rooms.values()):
            return NO_NODES
        return GANG_HAS_NO_ROOM if placement and placement.placed else NO_NODE_HAS_ROOM

    def _nomination(
        self,
        job: Job,
        result: Result,
        *,
        reason: Reason = WAITS_FOR_STOPPING,
        assignment: Assignment = (),
        with_nodes: bool = False,
    ) -> FairshareNomination:
        unit = result.started or start_unit(job.groups)
        counts: dict[str, int] = {}
        for group in job.groups:
            counts[group.name] = sum(pod in unit for pod in group.pods)
        amounts = requested(unit)
        placement = result.placement
        short: tuple[NodeShortage, ...] = ()
        if with_nodes and placement is not None and placement.failed is not None:
            short = shortages(self._session, job, placement.failed)
        return FairshareNomination(
            fits=bool(result.started),
            pending_reason=reason,
            request=amounts,
            counts=counts,
            assignment=assignment,
            refusal=placement.refusal if placement is not None else None,
            placed=placement.placed if placement is not None else len(unit),
            shortages=short,
            attempts=tuple(result.attempts),
            standings=self._session.at_start,
            usage=usage_of_amounts(amounts),
            exceeded=() if result.has_room else self._exceeded(job),
        )

    def _assignment(self, job: Job, pending: Pending) -> Assignment:
        """Return the places of the pods of a job that start."""
        groups = {group.name: group for group in job.groups}
        found = []
        for pod_set in pending.workload.pod_sets:
            places = [
                self._world.place_of(pod)
                for pod in groups[pod_set.name].pods
                if pod.state is PodState.BINDING
            ]
            merged = _merged([PlacedPods(pod_set=pod_set.name, place=each) for each in places])
            found.append(
                PodSetAssignment(
                    name=pod_set.name,
                    count=len(places),
                    flavors={},
                    places=tuple(each.place for each in merged),
                )
            )
        return tuple(found)


def usage_of_amounts(amounts: Sequence[int]) -> dict[FlavorResource, int]:
    """Return amounts as usage of the pool, without zeros."""
    return {(POOL, name): amount for name, amount in zip(RESOURCES, amounts, strict=True) if amount}


def _merged(pods: Iterable[PlacedPods]) -> tuple[PlacedPods, ...]:
    """Return pods with those of equal places added up."""
    counts: dict[PlacedPods, int] = {}
    for each in pods:
        counts[each] = counts.get(each, 0) + 1
    return tuple(
        PlacedPods(pod_set=each.pod_set, place=_counted(each.place, count))
        for each, count in counts.items()
    )


def _counted(place: Place, count: int) -> Place:
    return Place(
        count=count,
        cluster=place.cluster,
        node=place.node,
        flavor=place.flavor,
        devices=place.devices,
    )
