"""
A cycle of a live state: all actions in one session, whose results the state then takes over.

Fair shares are computed once at the beginning. Pending workloads of one class are equal, so that
one that fails fails for all of them. The state changes only at the end, after all changes of the
session are undone: the next session begins with what the state has then.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING, Final

from console.engine.disciplines import Progress
from console.engine.disciplines.fairshare.actions import (
    Failure,
    Start,
    allocate,
    consolidate,
    evict_stale,
    preempt,
    reclaim,
)
from console.engine.disciplines.fairshare.gangs import PodState
from console.engine.disciplines.fairshare.live_world import LiveWorld, world_of
from console.engine.disciplines.fairshare.outcomes import EVICTIONS, Origin, Outcomes, Result
from console.engine.disciplines.fairshare.prospects import Prospects
from console.engine.disciplines.fairshare.reasons import QUEUE_HAS_CHILDREN
from console.engine.disciplines.fairshare.session import Job, Session
from console.engine.disciplines.fairshare.turn_order import TurnOrder
from console.engine.live.live_tree import LiveTree
from console.engine.pending.pending_class import Verdict

if TYPE_CHECKING:
    from console.engine.state import State

Action = Callable[[Session, TurnOrder[Job]], Iterator[Start | Failure]]

#: The most jobs that start in one session; the next one continues with the others.
_MOST_STARTS: Final = 2_000


def run_cycle(state: State, tree: LiveTree, *, skipping: bool) -> Progress:
    """
    Run all actions for the queues of *tree*.

    With *skipping*, nothing is done if the last cycle decided nothing and nothing has changed.
    """
    world = world_of(state)
    moment = world.moment(state)
    if skipping and world.quiet_at == moment:
        _set_all_inadmissible(tree)
        return Progress.NOTHING
    if _Cycle(state, tree, world).run():
        return Progress.DECIDED
    _set_all_inadmissible(tree)
    world.quiet_at = moment
    return Progress.NOTHING


class _Cycle:
    """The actions of one cycle."""

    def __init__(self, state: State, tree: LiveTree, world: LiveWorld) -> None:
        self._state, self._tree, self._world = state, tree, world
        self._session = world.open(state)
        self._origins: dict[Job, Origin] = {}
        self._results: dict[Job, Result] = {}
        #: Running jobs from which others take pods in this session.
        self._losers: set[Job] = set()
        #: Running jobs that have had fewer pods than their minimum for too long.
        self._stale: list[Job] = []

    def run(self) -> bool:
        """Run all actions; return whether the state has changed."""
        self._find_candidates()
        # A workload from which others have taken pods grows after their turn, so that it does not
        # take them back for ever.
        shrunk = {
            job
            for job, origin in self._origins.items()
            if origin.running is not None and origin.running.reason in EVICTIONS
        }
        is_complete = self._allocate([each for each in self._origins if each not in shrunk])
        is_complete = is_complete and self._allocate(shrunk)
        if is_complete:
            self._search(consolidate, Prospects.of_consolidation)
            self._search(reclaim, Prospects.of_reclaim)
            self._search(preempt, Prospects.of_preemption)
            self._stale = [
                victim.job
                for victim in evict_stale(
                    self._session, lambda job: self._world.is_stale(job, self._state.now)
                )
            ]
        outcomes = Outcomes(self._state, self._world, self._session, self._origins, self._results)
        planned = outcomes.plan(self._stale)
        self._session.rollback()
        has_decided = False
        for change in planned:
            has_decided |= change()
        # Their preemptors have had their turns.
        has_decided |= self._state.requeue_unblocked(self._tree, set())
        return has_decided or not is_complete

    def _find_candidates(self) -> None:
        world, spec = self._world, self._world.spec
        for queue in self._tree.queues:
            if queue.barrier is not None:
                continue
            takes_workloads = spec.takes_workloads(queue.name)
            for cls in queue.pending.classes.values():
                head = cls.head
                if head.route.problem is not None or head.yields_to is not None:
                    continue
                if not takes_workloads:
                    self._state.set_inadmissible(queue, cls, Verdict(QUEUE_HAS_CHILDREN))
                    continue
                self._origins[world.class_job(cls)] = Origin(queue, head, cls)
            if takes_workloads:
                for each in queue.preemptors.values():
                    self._origins[world.pending_job(each.pending)] = Origin(queue, each.pending)
        for running, job in world.growing_jobs():
            queue = self._state.queues[job.queue]
            if queue.barrier is None and spec.takes_workloads(job.queue):
                self._origins[job] = Origin(queue, running=running)

    def _allocate(self, jobs: Collection[Job]) -> bool:
        """Start what fits of *jobs*; return whether every one has had its turn."""
        may_start = Prospects(self._session).of_start
        hopeful = {job for job in jobs if may_start(job)}
        if not hopeful:
            return True
        order, starts = self._session.turns(jobs), 0
        for found in allocate(self._session, order):
            self._state.before_turn()
            following = self._note(found, order)
            was_hopeful = found.job in hopeful
            hopeful.discard(found.job)
            if following is not None:
                hopeful.add(following)
            if isinstance(found, Start):
                starts += 1
                if starts >= _MOST_STARTS or not self._state.has_budget:
                    return False
                if any(pod.state is PodState.PENDING for pod in found.job.pods):
                    hopeful.add(found.job)
            elif was_hopeful:
                # Earlier starts have taken its room, and perhaps that of others.
                hopeful = {job for job in hopeful if may_start(job)}
            if not hopeful:
                break
        return True

    def _search(self, action: Action, may_succeed: Callable[[Prospects, Job], bool]) -> None:
        """Search room for the jobs that have none, also for further pods of running ones."""
        jobs = [
            job
            for job, origin in self._origins.items()
            if not (origin.running is not None and origin.running.reason in EVICTIONS)
            and job not in self._losers
            and not ((result := self._results.get(job)) and result.has_room)
            and (action is not consolidate or job.is_preemptible)
        ]
        prospects = Prospects(self._session)
        hopeful = {job for job in jobs if may_succeed(prospects, job)}
        if not hopeful:
            return
        order = self._session.turns(jobs)
        for found in action(self._session, order):
            self._state.before_turn()
            following = self._note(found, order)
            hopeful.discard(found.job)
            if isinstance(found, Start):
                prospects = Prospects(self._session)
                if following is not None:
                    hopeful.add(following)
                hopeful = {job for job in hopeful if may_succeed(prospects, job)}
            if not hopeful:
                break

    def _note(self, found: Start | Failure, order: TurnOrder[Job]) -> Job | None:
        """Record a result; return the job that has joined *order* for it, if any."""
        job = found.job
        result = self._results.setdefault(job, Result())
        if isinstance(found, Failure):
            result.placement = found.placement or result.placement
            if found.attempt is not None:
                result.attempts.append(found.attempt)
            return None
        is_first = not result.has_room
        if found.waits:
            result.waits, result.search, result.victims = True, found.search, found.victims
            self._losers.update(victim.job for victim in found.victims)
        else:
            result.started.extend(found.pods)
        return self._bring_next(job, order) if is_first else None

    def _bring_next(self, job: Job, order: TurnOrder[Job]) -> Job | None:
        """Add the next member of the class of a job that has room, and return it."""
        origin = self._origins[job]
        if origin.cls is None:
            return None
        if origin.members is None:
            origin.members = iter(origin.cls)
            next(origin.members)
        following = next(origin.members, None)
        if following is None:
            return None
        other = self._world.pending_job(following)
        self._origins[other] = Origin(origin.queue, following, origin.cls, origin.members)
        order.push(other.queue, other)
        return other


def _set_all_inadmissible(tree: LiveTree) -> None:
    for queue in tree.queues:
        if queue.barrier is None:
            queue.pending.set_all_inadmissible()
