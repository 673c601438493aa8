"""What would happen to one pending workload now, found in a session that is undone again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from console.engine.disciplines.fairshare.actions import (
    Failure,
    allocate,
    consolidate,
    preempt,
    reclaim,
)
from console.engine.disciplines.fairshare.live_world import world_of
from console.engine.disciplines.fairshare.nomination import FairshareNomination
from console.engine.disciplines.fairshare.outcomes import Origin, Outcomes, Result
from console.engine.pending.pending_class import Pending

if TYPE_CHECKING:
    from console.engine.state import State


def nominate(state: State, pending: Pending) -> FairshareNomination:
    """Return whether *pending* would start now, and where; or what searches for room find."""
    world = world_of(state)
    session = world.open(state)
    job = world.pending_job(pending)
    result = Result()
    # They wait for room that is being released, and claim it in their turns.
    claiming = [
        world.pending_job(each.pending)
        for queue in state.queues.values()
        for each in queue.preemptors.values()
        if each.pending is not pending and queue.name in session.paths
    ]
    for action in (allocate, consolidate, reclaim, preempt):
        if action is consolidate and not job.is_preemptible:
            continue
        for found in action(session, session.turns([*claiming, job])):
            if found.job is not job:
                continue
            if isinstance(found, Failure):
                result.placement = found.placement or result.placement
                if found.attempt is not None:
                    result.attempts.append(found.attempt)
            elif found.waits:
                result.waits, result.search, result.victims = True, found.search, found.victims
            else:
                result.started.extend(found.pods)
        if result.has_room:
            break
        claiming.clear()
    origin = Origin(state.queues[job.queue], pending)
    outcomes = Outcomes(state, world, session, {job: origin}, {job: result})
    nomination = outcomes.nomination_of(job)
    session.rollback()
    return nomination
