"""Upper bound of the number of live workloads that a config change affects."""

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
from console.engine.routing.route_result import find_route_result
from console.engine.routing.router import Router

_Names: TypeAlias = Mapping[str, set[str]]


def affected_workloads(
    old: Policy, new: Policy, changes: Iterable[Change], live: Live, backlog: Backlog
) -> int:
    """
    Return the maximum number of workloads of *live* that the change from *old* to *new* affects.

    If settings change, it counts all workloads. Otherwise it counts the running and pending
    workloads of queues that change, themselves or by their cohort or flavors, and of queues that
    share quota with them by lending, reclaiming and borrowing. If routing changes, it adds the
    workloads of *backlog*, which has all pending workloads, that get another queue or priority.
    It ignores the effect of rerouted workloads on the workloads that run in their new queue.
    """
    changed: defaultdict[str, set[str]] = defaultdict(set)
    for change in changes:
        changed[change.noun] |= {change.name, change.old_name}
    if changed[SETTINGS]:
        return sum(live.running.values()) + sum(live.pending.values())
    queues = _sharing(old, changed) | _sharing(new, changed)
    here = sum(live.running.get(name, 0) + live.pending.get(name, 0) for name in queues)
    # Kinds of objects on which no queue depends belong to routing.
    if not changed.keys() - _kinds_used(old) - _kinds_used(new) - {SETTINGS}:
        return here
    elsewhere = [kind for kind in backlog.kinds if kind.queue not in queues]
    before, after = Router(old), Router(new)
    return here + sum(
        kind.count
        for kind in elsewhere
        if _end_of(find_route_result(old, kind.workload, before))
        != _end_of(find_route_result(new, kind.workload, after))
    )


def _end_of(route_result: RouteResult) -> tuple[str | None, int | None, Reason | None]:
    """Return the part of a route result that determines the outcome for a workload."""
    return route_result.queue, route_result.priority, route_result.reason


def _sharing(policy: Policy, changed: _Names) -> set[str]:
    """Return the queues of every tree in which a queue, cohort or flavor is *changed*."""
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
