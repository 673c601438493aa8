"""What would happen to one pending workload now, found in a session that is undone again."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from console.engine.disciplines.fairshare.actions import (
    Failure,
    Start,
    allocate,
    consolidate,
    preempt,
    reclaim,
)
from console.engine.disciplines.fairshare.gangs import PodState
from console.engine.disciplines.fairshare.live_world import world_of
from console.engine.disciplines.fairshare.nomination import FairshareNomination
from console.engine.disciplines.fairshare.outcomes import Origin, Outcomes, Result
from console.engine.disciplines.fairshare.reasons import QUEUE_HAS_CHILDREN
from console.engine.disciplines.fairshare.session import Session
from console.engine.model.common_reasons import BEHIND_OTHERS
from console.engine.pending.pending_class import Pending

if TYPE_CHECKING:
    from console.engine.state import State


def nominate(
    state: State, pending: Pending, without: frozenset[str] = frozenset()
) -> FairshareNomination:
    """
    Return whether *pending* would start now, and where; or what searches for room find.

    It is enough if it would start after the running workloads *without* have ended.
    """
    world = world_of(state)
    session = world.open(state)
    job = world.pending_job(pending)
    if job.queue not in session.paths:
        return FairshareNomination(fits=False, pending_reason=QUEUE_HAS_CHILDREN)
    result = Result()
    _end(session, without)
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
            _note(result, found)
        if result.has_room or without:
            break
        claiming.clear()
    origin = Origin(state.queues[job.queue], pending)
    outcomes = Outcomes(state, world, session, {job: origin}, {job: result})
    nomination = outcomes.nomination_of(job)
    session.rollback()
    if without and result.waits:
        return replace(nomination, fits=True, pending_reason=BEHIND_OTHERS)
    return nomination


def _end(session: Session, workloads: frozenset[str]) -> None:
    """Let the pods of running *workloads* stop."""
    for uid in workloads & session.jobs.keys():
        ended = session.jobs[uid]
        for pod in ended.pods:
            if pod.state is PodState.RUNNING:
                session.evict(ended, pod)
    session.commit()


def _note(result: Result, found: Start | Failure) -> None:
    if isinstance(found, Failure):
        result.placement = found.placement or result.placement
        if found.attempt is not None:
            result.attempts.append(found.attempt)
    elif found.waits:
        result.waits, result.search, result.victims = True, found.search, found.victims
    else:
        result.started.extend(found.pods)
