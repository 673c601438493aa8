"""Upper bound of the live workloads that a config change affects: one of each kind is routed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from console.engine.diff import Change
from console.engine.diff.objects import SETTINGS
from console.engine.model.history import Backlog, Live
from console.engine.model.policy import Policy, Queue
from console.engine.model.reasons import Reason
from console.engine.model.route_result import RouteResult
from console.engine.routing.route_result import land
from console.engine.routing.router import Router

_Names: TypeAlias = Mapping[str, set[str]]


def affected_workloads(
    old: Policy, new: Policy, changes: Iterable[Change], live: Live, backlog: Backlog
) -> int:
    """
    Return the maximum number of workloads of *live* that the change from *old* to *new* affects.

    It counts running and pending workloads in queues that change, directly or with their cohort
    or a flavor of theirs, and in queues that share quota with them, where quota is lent,
    reclaimed and borrowed; of *backlog*, which is all pending work, the workloads that get
    another queue or priority when routing changes; and everything when settings change. The
    effect of rerouted work on the workloads that run in its new queue is not counted.
    """
    changed: defaultdict[str, set[str]] = defaultdict(set)
    for change in changes:
        changed[change.noun] |= {change.name, change.old_name}
    if changed[SETTINGS]:
        return sum(live.running.values()) + sum(live.pending.values())
    queues = _sharing(old, changed) | _sharing(new, changed)
    here = sum(live.running.get(name, 0) + live.pending.get(name, 0) for name in queues)
    # What no queue depends on is routing.
    if not changed.keys() - _kinds_used(old) - _kinds_used(new) - {SETTINGS}:
        return here
    elsewhere = [kind for kind in backlog.kinds if kind.queue not in queues]
    before, after = Router(old), Router(new)
    return here + sum(
        kind.count
        for kind in elsewhere
        if _end_of(land(old, kind.workload, before)) != _end_of(land(new, kind.workload, after))
    )


def _end_of(route_result: RouteResult) -> tuple[str | None, int | None, Reason | None]:
    """Return the part of a route result that determines the outcome for a workload."""
    return route_result.queue, route_result.priority, route_result.reason


def _sharing(policy: Policy, changed: _Names) -> set[str]:
    """Return the queues of every tree of cohorts in which one is *changed*."""
    trees: defaultdict[str, list[Queue]] = defaultdict(list)
    found: set[str] = set()
    for queue in policy.queues.values():
        if queue.parent is not None:
            trees[policy.spec.path(queue.name)[-1]].append(queue)
        elif _is_touched(policy, queue, changed):
            found.add(queue.name)
    for queues in trees.values():
        if any(_is_touched(policy, queue, changed) for queue in queues):
            found.update(queue.name for queue in queues)
    return found


def _kinds_used(policy: Policy) -> set[str]:
    """Return the kinds of the objects on which queues of *policy* depend."""
    for queue in policy.queues:
        return set(policy.spec.uses(queue))
    return set()


def _is_touched(policy: Policy, queue: Queue, changed: _Names) -> bool:
    uses = policy.spec.uses(queue.name)
    return any(not changed.get(noun, set()).isdisjoint(names) for noun, names in uses.items())
