"""What would happen to one pending workload now, found in a world of its own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from console.engine.disciplines.hierarchy.checks import all_checks
from console.engine.disciplines.hierarchy.live_world import LiveWorld
from console.engine.disciplines.hierarchy.nomination import HierarchyNomination
from console.engine.disciplines.hierarchy.outcomes import Outcomes, Result
from console.engine.disciplines.hierarchy.reasons import NO_NODES
from console.engine.disciplines.hierarchy.scheduler import Alone, Preempted, Started
from console.engine.model.common_reasons import BEHIND_OTHERS, WAITING_FOR_PREEMPTED
from console.engine.pending.pending_class import Pending

if TYPE_CHECKING:
    from console.engine.state import State


def nominate(
    state: State,
    pending: Pending,
    without: frozenset[str] = frozenset(),
    *,
    with_checks: bool = False,
) -> HierarchyNomination:
    """
    Return whether *pending* would start now, and where; or what refuses it.

    It is enough if it would start after the running workloads *without* have ended. With
    *with_checks*, the nomination has all checks, not only the one that refuses.
    """
    world = LiveWorld(state)
    name = pending.route.queue
    partition = None if name is None else world.partition_of(name)
    if partition is None or name is None:
        return HierarchyNomination(fits=False, pending_reason=NO_NODES)
    world.take_over(state, without)
    usage = partition.usage(name)
    app = partition.pending_application(pending, usage)
    count = sum(ask.pending for ask in app.asks)
    if count:
        usage.change_pending(app.pending, count, pending.priority)
    checks = tuple(all_checks(partition, app)) if with_checks else ()
    scheduler = partition.scheduler
    scheduler.lines = {usage.path: [Alone(app)]}
    scheduler.note_event()
    result = Result()
    while isinstance(found := scheduler.cycle(), Started):
        result.started.extend(found.allocations)
    if isinstance(found, Preempted):
        result.stop(found.ask, found.victims)
    outcomes = Outcomes(state, world, partition, {app: result})
    nomination = replace(outcomes.nomination(app, result, with_nodes=True), checks=checks)
    if result.victims and not without:
        return replace(nomination, pending_reason=WAITING_FOR_PREEMPTED)
    if not result.started:
        return nomination
    assignment = outcomes.assignment(pending, result.started)
    return replace(nomination, pending_reason=BEHIND_OTHERS, assignment=assignment)
