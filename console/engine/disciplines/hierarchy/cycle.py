"""
A cycle of a live state: the scheduler runs until nothing starts, then the state takes over.

The world counts what starts as the state does, so that the next cycle begins where this one ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from console.engine.disciplines import Progress
from console.engine.disciplines.hierarchy.application_builder import gang_expiry, is_hard_gang
from console.engine.disciplines.hierarchy.applications import Application
from console.engine.disciplines.hierarchy.live_partition import LivePartition
from console.engine.disciplines.hierarchy.live_world import (
    LiveWorld,
    world_of,
)
from console.engine.disciplines.hierarchy.outcomes import Outcomes, Result
from console.engine.disciplines.hierarchy.quota_preemption import quota_victims
from console.engine.disciplines.hierarchy.scheduler import Preempted, Started
from console.engine.live.live_tree import LiveTree
from console.engine.pending.pending_class import Pending

if TYPE_CHECKING:
    from console.engine.state import State

#: The most applications that start in one cycle; the next one continues with the others.
_MOST_STARTS: Final = 2_000


def run_cycle(state: State, tree: LiveTree, *, skipping: bool) -> Progress:
    """
    Start what fits in all partitions, and preempt for what does not.

    With *skipping*, nothing is done if the last cycle decided nothing and nothing has changed.
    """
    world = world_of(state)
    moment = world.moment(state)
    if skipping and world.quiet_at == moment:
        _set_all_inadmissible(tree)
        return Progress.NOTHING
    has_decided = _reject_expired(state, world)
    if has_decided:
        world.take_over(state)
    for partition in world.partitions.values():
        has_decided |= _Cycle(state, world, partition).run()
    has_decided |= state.requeue_unblocked(tree, set())
    if has_decided:
        return Progress.DECIDED
    _set_all_inadmissible(tree)
    world.quiet_at = moment
    return Progress.NOTHING


class _Cycle:
    """The turns of one partition."""

    def __init__(self, state: State, world: LiveWorld, partition: LivePartition) -> None:
        self._state, self._world, self._partition = state, world, partition
        self._results: dict[Application, Result] = {}

    def run(self) -> bool:
        """Run all turns; return whether the state has changed, or there are more turns."""
        scheduler = self._partition.scheduler
        self._world.take_lines(self._partition, self._state)
        scheduler.refusals.clear()
        scheduler.waiting.clear()
        scheduler.note_event()
        scheduler.reserve_for(self._partition.claiming)
        is_complete = self._take_turns()
        scheduler.release_reservations()
        outcomes = Outcomes(self._state, self._world, self._partition, self._results)
        has_decided = outcomes.apply()
        if is_complete and self._partition.partition.preempts_over_maximum:
            victims = quota_victims(
                scheduler.root,
                scheduler.applications,
                self._partition.quota_changes,
                self._state.now,
                scheduler.compatibility,
            )
            has_decided |= outcomes.evict_over_maximum(victim for _, victim in victims)
        if is_complete:
            has_decided |= self._partition.end_claims(self._state)
        return has_decided or not is_complete

    def _take_turns(self) -> bool:
        """Return whether every application has had its turn."""
        while len(self._results) < _MOST_STARTS and self._state.has_budget:
            self._state.before_turn()
            found = self._partition.scheduler.cycle()
            match found:
                case None:
                    return True
                case Started(allocations):
                    app = allocations[0].app
                    self._results.setdefault(app, Result()).started.extend(allocations)
                case Preempted(ask, victims):
                    self._results.setdefault(ask.app, Result()).stop(ask, victims)
                case _:
                    raise AssertionError(f"a live state has no {found}")
        return False


def _reject_expired(state: State, world: LiveWorld) -> bool:
    """Reject the hard gangs whose timeout has passed; return whether there were any."""
    expired: list[tuple[str, Pending]] = [
        (name, pending)
        for name, queue in state.queues.items()
        for cls in queue.pending.classes.values()
        if is_hard_gang(cls.head.workload) and cls.head.workload.inactive is None
        for pending in cls
        if (expiry := gang_expiry(pending)) is not None and expiry <= state.now
    ]
    for name, pending in expired:
        Outcomes.reject_gang(state, world, name, pending)
    return bool(expired)


def _set_all_inadmissible(tree: LiveTree) -> None:
    for queue in tree.queues:
        if queue.barrier is None:
            queue.pending.set_all_inadmissible()
