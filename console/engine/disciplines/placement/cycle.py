"""
A cycle: every pending job that may fit has a turn, in the order of arrival.

After a release of capacity, most jobs need no turn: those that did not fit anywhere before fit
only if a replica fits on one of the nodes with released capacity.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from console.engine.disciplines import Progress
from console.engine.disciplines.placement.job_placement import JobPlacement
from console.engine.disciplines.placement.ledger import JobQueue
from console.engine.disciplines.placement.nominate import PlacementNomination, Placer
from console.engine.disciplines.placement.reasons import NOT_PLACEABLE
from console.engine.disciplines.placement.spec import OnUnplaceable, placement_of
from console.engine.pending.pending_class import Pending, PendingClass, Verdict

if TYPE_CHECKING:
    from console.engine.state import State


def run_cycle(state: State, queue: JobQueue, placer: Placer, *, skipping: bool) -> Progress:
    """Place the pending jobs of *queue* that fit; *skipping* leaves out turns that cannot."""
    index, spec = placer.index, placement_of(state.policy)
    may_skip = skipping and not placer.may_fit_on_less and not placer.is_retry_due
    is_full = not may_skip or index.has_new_inventory
    fails = spec.on_unplaceable is OnUnplaceable.FAIL
    has_decided = False
    turns = None if is_full else _turns(queue, placer)
    while state.has_budget:
        pending = _next(queue, turns)
        if pending is None:
            queue.pending.set_all_inadmissible()
            placer.forget_releases()
            break
        cls = queue.pending.classes[pending.class_key]
        verdict = cls.verdict
        if not is_full and verdict is not None and not _may_fit(placer, pending, verdict):
            queue.pending.set_inadmissible(cls)
            continue
        state.before_turn()
        found = nominate(placer, pending, with_nodes=fails)
        if found.fits:
            state.admit(queue, pending, found, found.assignment)
            index.touch(state.node_usage.take_touched())
            has_decided = True
            if turns is None and not is_full:
                turns = _turns(queue, placer)
        elif fails:
            state.reject(queue, pending, found, NOT_PLACEABLE)
            has_decided = True
        else:
            state.set_inadmissible(queue, cls, Verdict(found.pending_reason, {}, found))
            placer.note_waiting(cls.key, found)
    return Progress.DECIDED if has_decided else Progress.NOTHING


def nominate(placer: Placer, pending: Pending, *, with_nodes: bool) -> PlacementNomination:
    """Return where *pending* would go now."""
    job = _job(pending)
    found = placer.nominate(pending.workload, job, with_nodes=with_nodes)
    if found.fits:
        return found
    never = placer.never(pending.workload, job, pending.class_key)
    return found if never is None else replace(found, never=never)


def _turns(queue: JobQueue, placer: Placer) -> list[PendingClass] | None:
    """
    Return the classes that get a turn, the last one first; None: all active classes in order.

    If no released capacity suffices for the smallest requests, only classes without a verdict do.
    """
    if placer.index.may_have_released(placer.smallest_needs(queue.pending.classes)):
        return None
    fresh = [queue.pending.classes[key] for key in queue.pending.open]
    return sorted(fresh, key=_place, reverse=True)


def _place(cls: PendingClass) -> tuple[int, int]:
    return cls.head.place


def _next(queue: JobQueue, turns: list[PendingClass] | None) -> Pending | None:
    """Return the job with the next turn, of *turns* or of all active classes."""
    if turns is None:
        return queue.pending.head()
    while turns:
        cls = turns[-1]
        if len(cls) and not queue.pending.is_inadmissible(cls):
            return cls.head
        turns.pop()
    return None


def _may_fit(placer: Placer, pending: Pending, verdict: Verdict) -> bool:
    """Return whether released capacity may change *verdict*."""
    nomination = verdict.nomination
    return not isinstance(nomination, PlacementNomination) or any(
        placer.fits_on_released(each.need, _job(pending)) for each in nomination.found
    )


def _job(pending: Pending) -> JobPlacement:
    placements = cast(tuple[JobPlacement, ...], pending.eligibility.obstacles)
    return placements[0] if placements else JobPlacement()
